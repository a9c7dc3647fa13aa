"""Memory systems that behave in one special way each; tests name them ``support.systems:Name``."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.request import Request, urlopen

from memgauge import version
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.protocol import Capabilities, Role, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn

MARKS = "MEMGAUGE_TEST_MARKS"
"""Names a folder in which systems leave marks, so that a later instance in any process knows of an earlier one."""
GUILTY = "MEMGAUGE_TEST_GUILTY"
"""Names the conversation on which a system misbehaves."""


class Notebook:
    """Writes every turn down and returns all of them, oldest first; receipts say so."""

    name = "notebook"
    version = "1"
    promises: ClassVar[Capabilities] = Capabilities(reports_changes=True, score_kind=ScoreKind.SIMILARITY)

    def __init__(self) -> None:
        self.stored: dict[str, Memory] = {}

    def capabilities(self) -> Capabilities:
        """Declare what this instance promises."""
        return self.promises

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store each turn as one memory without naming its source."""
        changes = []
        for turn in turns:
            memory = Memory(f"m-{turn.id}", turn.text, form=Form.RAW)
            self.stored[memory.id] = memory
            changes.append(Change(Operation.ADD, memory.id))
        return Receipt(tuple(changes))

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Do nothing."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return everything, oldest first."""
        hits = [Hit(memory, 1.0 / (n + 1)) for n, memory in enumerate(self.stored.values())]
        return Ranking(tuple(hits[:k]), ScoreKind.SIMILARITY)

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List everything."""
        return tuple(self.stored.values())

    def reset(self) -> None:
        """Forget everything."""
        self.stored.clear()


class Quoting(Notebook):
    """Writes a word or two around what was said, as many products do."""

    name = "quoting"
    words = "{} said: {}"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store each turn as one memory, quoted."""
        quoted = [replace(turn, text=self.words.format(turn.speaker, turn.text)) for turn in turns]
        return super().ingest(quoted, scope)


class Noting(Quoting):
    """Puts one more word before the speaker."""

    words = "Note to {}: {}"


class Listing(Quoting):
    """Writes a list."""

    words = "- {0}: {1}."


class Naming(Quoting):
    """Says at the end who it was."""

    words = "{1} (from {0})"


class HalfIds(Notebook):
    """Returns memories under ids that no encoding can hold."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return everything, with half a surrogate pair before each id."""
        hits = super().search(query, scope, k, as_of).hits
        return Ranking(
            tuple(replace(hit, memory=replace(hit.memory, id=f"\udcff{hit.memory.id}")) for hit in hits)
        )


class Verbose(Notebook):
    """Fails with a document in its message."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Raise."""
        raise ValueError("x" * 5_000_000)


class Flaky(Notebook):
    """Takes 20 ms for a search, and raises two times of three."""

    name = "flaky"
    searches = 0

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return everything at every third call."""
        self.searches += 1
        time.sleep(0.02)
        if self.searches % 3:
            raise ConnectionError("the index is busy")
        return super().search(query, scope, k, as_of)


class Backwards(Notebook):
    """Returns everything, latest first."""

    name = "backwards"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Reverse the order."""
        hits = [Hit(memory) for memory in reversed(self.stored.values())]
        return Ranking(tuple(hits[:k]))


class Silent(Notebook):
    """Says nothing about its writes."""

    name = "silent"
    promises: ClassVar[Capabilities] = Capabilities()

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store without a word."""
        super().ingest(turns, scope)
        return Receipt()


class Minutes(Notebook):
    """Keeps each session as one memory of joined turns, and patches a library for it."""

    name = "minutes"
    promises: ClassVar[Capabilities] = Capabilities(
        unit=Unit.SESSION, reports_changes=True, interventions=("the clock is patched",)
    )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Join the turns with their speakers."""
        memory = Memory(f"m-{turns[0].session}", "\n".join(f"{t.speaker}: {t.text}" for t in turns))
        self.stored[memory.id] = memory
        return Receipt((Change(Operation.ADD, memory.id),))


class Unlisted(Notebook):
    """Returns one memory, and fails where it should list what it stores."""

    name = "unlisted"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return the oldest."""
        return Ranking(super().search(query, scope, k).hits[:1])

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """Fail."""
        raise RuntimeError("no list")


class Shouting(Notebook):
    """Keeps every turn word for word, in capitals."""

    name = "shouting"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store each turn louder than it was said."""
        receipt = super().ingest(turns, scope)
        for turn in turns:
            self.stored[f"m-{turn.id}"] = Memory(f"m-{turn.id}", turn.text.upper())
        return receipt


class Digest(Notebook):
    """Keeps one summary of everything, rewritten at every turn."""

    name = "digest"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Rewrite the summary."""
        known = self.stored.get("summary")
        op = Operation.UPDATE if known else Operation.ADD
        text = f"{known.text if known else 'Said:'} {len(turns)} more."
        self.stored["summary"] = Memory("summary", text, form=Form.SUMMARY)
        return Receipt((Change(op, "summary"),))


class Talkative(Notebook):
    """Says in its notes and channels what it overheard."""

    name = "talkative"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return everything, with words of its own."""
        hits = tuple(Hit(replace(memory, channel="overheard here")) for memory in self.stored.values())
        return Ranking(hits[:k], notes=("overheard: a grey cat",))


def raising() -> Notebook:
    """Fail to open."""
    raise OSError("no such store")


def hanging() -> Notebook:
    """Never open within a test's patience."""
    time.sleep(30)
    return Notebook()


class Failing(Notebook):
    """Every search raises."""

    name = "failing"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Raise."""
        raise LookupError(f"the index is gone: {query}")


class Nothing(Notebook):
    """Returns nothing, as a floor."""

    name = "nothing"
    promises: ClassVar[Capabilities] = Capabilities(reports_changes=True, role=Role.FLOOR)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Find nothing."""
        return Ranking(())


class Full(Notebook):
    """Every write raises."""

    name = "full-disk"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Raise."""
        raise OSError("no space is left")


class Ending(Notebook):
    """Says of its oldest memory that it was true until the next day."""

    name = "ending"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and end the oldest."""
        receipt = super().ingest(turns, scope)
        oldest = next(iter(self.stored))
        self.stored[oldest] = replace(self.stored[oldest], valid_to=turns[0].at)
        return receipt


class Lagging(Notebook):
    """Finds nothing of what was stored after the third memory."""

    name = "lagging"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return the first three."""
        return super().search(query, scope, 3, as_of)


class SecondTime(Notebook):
    """Searches only work for the second instance that meets a conversation."""

    name = "second-time"

    def __init__(self) -> None:
        super().__init__()
        self.works = True

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Leave a mark at the first turn."""
        if not self.stored:
            mark = Path(os.environ[MARKS]) / f"{scope.user}.met"
            self.works = mark.exists()
            mark.touch()
        return super().ingest(turns, scope)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Raise in the first instance."""
        if not self.works:
            raise ConnectionError("not yet")
        return super().search(query, scope, k, as_of)


class Deadly(Notebook):
    """Ends its whole process on the guilty conversation."""

    name = "deadly"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Die, or store."""
        if scope.user == os.environ.get(GUILTY):
            os._exit(9)
        return super().ingest(turns, scope)


class Mortal(Notebook):
    """Has its process killed at its first question, once, and leaves a mark."""

    name = "mortal"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Die, or find."""
        mark = Path(os.environ[MARKS]) / "died"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().search(query, scope, k, as_of)


class Dying(Notebook):
    """Ends its process whenever it is asked."""

    name = "dying"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Die."""
        os._exit(3)


class Speechless(Notebook):
    """Stores everything and never returns anything, and does not say that it is a floor."""

    name = "speechless"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Find nothing."""
        return Ranking(())


class Stalling(Notebook):
    """Stops on the guilty conversation, after leaving a mark, until its process is killed."""

    name = "stalling"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Stall, or store."""
        if scope.user == os.environ.get(GUILTY):
            (Path(os.environ[MARKS]) / "stalled").touch()
            time.sleep(120)
        return super().ingest(turns, scope)


class Forgetful(Notebook):
    """Loses every second write by raising, and answers from the rest."""

    name = "forgetful"

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Raise every second time."""
        self.writes += 1
        if self.writes % 2 == 0:
            raise RuntimeError("disk on fire")
        return super().ingest(turns, scope)


class Asking(Forgetful):
    """Asks the model at ``OPENAI_BASE_URL`` about every turn, and then loses every second write."""

    name = "asking"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Ask, and raise every second time."""
        messages = [{"role": "user", "content": turn.text} for turn in turns]
        body = json.dumps({"model": "scripted", "messages": messages}).encode()
        address = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
        urlopen(Request(address, body, {"Content-Type": "application/json"}), timeout=30).read()  # noqa: S310 - loopback
        return super().ingest(turns, scope)


class AskingPaid(Notebook):
    """Asks a model that has a list price about every turn, and keeps it."""

    name = "askingpaid"
    model = "gpt-4.1-mini"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Ask, and store."""
        body = {"model": self.model, "messages": [{"role": "user", "content": turn.text} for turn in turns]}
        address = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
        heads = {"Content-Type": "application/json"}
        urlopen(Request(address, json.dumps(body).encode(), heads), timeout=30).read()  # noqa: S310 - loopback
        return super().ingest(turns, scope)


class AskingUnpriced(AskingPaid):
    """Asks a model of which no price is known."""

    name = "askingunpriced"
    model = "nobody-knows-it"


class Burning(Notebook):
    """Leaves a process behind that burns a quarter of a second, and waits for it when it is flushed."""

    name = "burning"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Start the process at the first turn."""
        if not self.stored:
            code = "import time\nwhile time.process_time() < 0.25: pass"
            self.child = subprocess.Popen([sys.executable, "-c", code])
        return super().ingest(turns, scope)

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait for its end."""
        self.child.wait(timeout_s)


class Telling(Notebook):
    """Says of itself that it asks a model about every turn."""

    name = "telling"

    def spent(self) -> dict[str, dict[str, int]]:
        """Count three tokens in and one out for each memory."""
        stored = len(self.stored)
        return {"dear": {"calls": stored, "tokens_in": 3 * stored, "tokens_out": stored}}


class Ok(Notebook):
    """Keeps one memory that says ok, and claims every turn for it."""

    name = "ok"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Update the only memory there is."""
        self.stored["only"] = Memory("only", "ok")
        return Receipt((Change(Operation.UPDATE, "only"),))


class Talker(Notebook):
    """Answers by itself, with its first memory."""

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Say what was heard first, fail at one question, be silent at another and babble at a third."""
        if "1" in question:
            raise RuntimeError("no idea")
        if "2" in question:
            return ""
        if "3" in question:
            return 3  # type: ignore[return-value] # what a babbling system does
        return next(iter(self.stored.values())).text


class Parent(Notebook):
    """Lets a child process make a world again with its answers, and tries to change what is installed."""

    name = "parent"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Say in an error what came of it."""
        source = Path(version.__file__).parents[1]
        code = f"import sys; sys.path.insert(0, {str(source)!r}); import memgauge.datasets.catalogue"
        child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        try:
            (source / "left-behind.pth").write_text("", "utf-8")
            written = "written"
        except OSError:
            written = "read-only"
        raise RuntimeError(f"child {child.returncode}, {written}")


class Meddler(Notebook):
    """Lets a child process write into the memory of the process that plays it."""

    name = "meddler"

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Say in an error what came of it."""
        held = ctypes.create_string_buffer(b"as it was")
        code = (
            f"import os; memory = os.open('/proc/{os.getpid()}/mem', os.O_RDWR); "
            f"os.lseek(memory, {ctypes.addressof(held)}, 0); os.write(memory, b'forged')"
        )
        child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        raise RuntimeError(f"child {child.returncode}, memory {held.value.decode()}")
