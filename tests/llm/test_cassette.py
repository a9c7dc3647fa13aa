from __future__ import annotations

import contextlib
import io
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from threading import Barrier, Event, Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, ModelError, ReplayMiss
from memgauge.llm.access import Access, complete_many
from memgauge.llm.cassette import Cassette, Mode
from memgauge.llm.messages import Counted, Finish, Reply, Usage
from memgauge.llm.provider import open_model
from memgauge.llm.scripted import Scripted, scripted_reply
from support.model_server import KEY, answer, ask, bodies, completion, serve

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

    from memgauge.llm.messages import Request


def echo(request: Request) -> str:
    """Reply with what was asked."""
    return request.messages[-1].text


def test_what_was_recorded_is_replayed_without_asking(tmp_path: Path) -> None:
    """The second pass gets the same bytes, marked as replayed, and asks nobody."""
    path = tmp_path / "deep" / "cassette.sqlite"
    given = Reply("Grüße \U0001f600 ", Finish.STOP, Usage(3, 2, Counted.PROVIDER, 0.25), '{"id": "x"}')
    first = Cassette(Scripted([given]), path).complete(ask())
    assert first == given
    for mode in (Mode.RECORD, Mode.REPLAY):
        silent = Scripted([])
        cassette = Cassette(silent, path, mode)
        assert cassette.complete(ask()) == replace(given, replayed=True)
        assert cassette.replayed == 1
        assert not silent.asked


def test_a_miss_is_told(tmp_path: Path) -> None:
    """Replay asks nobody for what the record lacks; refuse not even for what it holds."""
    path = tmp_path / "cassette.sqlite"
    Cassette(Scripted(echo), path).complete(ask("kept"))
    silent = Scripted([], name="quiet")
    with pytest.raises(ReplayMiss, match=r"cassette.sqlite holds no reply of quiet to request [0-9a-f]{12}"):
        Cassette(silent, path, "replay").complete(ask("other"))
    refusing = Cassette(silent, path, "refuse")
    with pytest.raises(ReplayMiss, match="no model may be asked"):
        refusing.complete(ask("kept"))
    assert refusing.count() == 0
    assert not silent.asked


def test_replies_of_another_server_are_used_and_told_once(tmp_path: Path) -> None:
    """A record replays anywhere; whoever names another server hears of it, once, and of their own nothing."""
    path, told = tmp_path / "cassette.sqlite", list[str]()
    for text in ("a", "b"):
        Cassette(Scripted(echo), path, server="one:80").complete(ask(text))
    same = Cassette(Scripted([]), path, server="one:80", tell=told.append)
    replayed = Cassette(Scripted([]), path, "replay", server="two:80", tell=told.append)
    for cassette in (same, replayed):
        cassette.complete(ask("a"))
    assert told == []
    other = Cassette(Scripted([]), path, server="two:80", tell=told.append)
    assert [other.complete(ask(text)).text for text in ("a", "b", "a")] == ["a", "b", "a"]
    Cassette(Scripted([]), path, tell=told.append).complete(ask("b"))
    assert ["from one:80" in line and "although two:80 is named now" in line for line in told] == [True, False]
    assert "although its provider's own address is named now" in told[1]


def test_a_record_of_before_servers_were_kept_is_used_and_widened(tmp_path: Path) -> None:
    """Old replies are read, replaying changes no byte, and new replies stand beside them."""
    path, told = tmp_path / "cassette.sqlite", list[str]()
    Cassette(Scripted(echo), path, server="one:80").complete(ask("old"))
    with closing(sqlite3.connect(path)) as file:
        file.execute("ALTER TABLE replies DROP COLUMN server")
        file.execute("PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    assert Cassette(Scripted([]), path, "replay").complete(ask("old")).text == "old"
    assert path.read_bytes() == before
    cassette = Cassette(Scripted(echo), path, server="two:80", tell=told.append)
    assert [cassette.complete(ask(text)).text for text in ("old", "new")] == ["old", "new"]
    assert told == []
    with closing(sqlite3.connect(path)) as file:
        assert set(file.execute("SELECT server FROM replies")) == {(None,), ("two:80",)}


def test_live_leaves_the_record_alone(tmp_path: Path) -> None:
    """Live asks every time and makes no file."""
    path = tmp_path / "cassette.sqlite"
    model = Scripted(echo)
    cassette = Cassette(model, path, "live")
    assert [cassette.complete(ask()).replayed for _ in range(2)] == [False, False]
    assert len(model.asked) == 2
    assert not path.exists()


@pytest.mark.parametrize(
    "bad",
    [
        scripted_reply(ask(), "Once upon", finish=Finish.LENGTH),
        scripted_reply(ask(), "No.", finish=Finish.REFUSAL),
        scripted_reply(ask(), " \n"),
        ModelError("gone"),
    ],
)
def test_what_is_no_answer_is_not_kept(tmp_path: Path, bad: Reply | ModelError) -> None:
    """A cut, refused, empty or failed reply is asked for again."""
    cassette = Cassette(Scripted([bad, "Here."]), tmp_path / "cassette.sqlite")
    if isinstance(bad, ModelError):
        with pytest.raises(ModelError, match="gone"):
            cassette.complete(ask())
    else:
        assert cassette.complete(ask()) is bad
    assert not cassette.holds(ask())
    assert cassette.complete(ask()).text == "Here."
    assert cassette.holds(ask())
    assert cassette.count() == 1


@given(st.permutations(["a", "b", "c", "d"]))
def test_the_digest_does_not_know_the_order(tmp_path_factory: pytest.TempPathFactory, order: list[str]) -> None:
    """The same replies make the same digest; another reply makes another."""
    folder = tmp_path_factory.mktemp("cassettes")
    shuffled, sorted_ = (Cassette(Scripted(echo), folder / name) for name in ("one", "two"))
    for text in order:
        shuffled.complete(ask(text))
    for text in sorted(order):
        sorted_.complete(ask(text))
    assert shuffled.digest() == sorted_.digest() == Cassette(Scripted([]), folder / "one", "replay").digest()
    sorted_.complete(ask("e"))
    assert shuffled.digest() != sorted_.digest()


def test_equal_requests_at_the_same_time_are_asked_once(tmp_path: Path) -> None:
    """Threads that want the same wait for the first of them."""
    model = Scripted(echo)
    cassette = Cassette(model, tmp_path / "cassette.sqlite")
    start = Barrier(8)
    told: list[str] = []

    def work() -> None:
        start.wait()
        told.append(cassette.complete(ask("same")).text)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == ["same"] * 8
    assert len(model.asked) == 1
    assert cassette.replayed == 7


def test_where_another_process_was_faster_its_reply_counts(tmp_path: Path) -> None:
    """Both get the reply that is on disk, so that a replay repeats both."""
    path = tmp_path / "cassette.sqlite"

    def overtaken(request: Request) -> str:
        Cassette(Scripted(["first"]), path).complete(request)
        return "second"

    assert Cassette(Scripted(overtaken), path).complete(ask()).text == "first"


def test_other_files_are_not_taken_for_cassettes(tmp_path: Path) -> None:
    """A missing, foreign, broken or impossible file is the user's to mend, and is left as it is."""
    with pytest.raises(ConfigError, match="There is no cassette at"):
        Cassette(Scripted([]), tmp_path / "missing", "replay")
    broken = tmp_path / "notes.txt"
    broken.write_text("Not a database at all, but a text.\n" * 50)
    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as other, other:
        other.execute("CREATE TABLE replies (key TEXT)")
    other.close()
    for path, mode in ((broken, "record"), (broken, "replay"), (foreign, "record"), (tmp_path, "record")):
        with pytest.raises(ConfigError, match="cannot be used as a cassette"):
            Cassette(Scripted([]), path, mode)
    with pytest.raises(ConfigError, match=r"No mode 'rewind' of a cassette. Take one of live, record"):
        Cassette(Scripted([]), tmp_path / "x", "rewind")


def test_a_file_that_breaks_later_is_told(tmp_path: Path) -> None:
    """Losing the table under a running pass is an error, not a miss."""
    path = tmp_path / "cassette.sqlite"
    cassette = Cassette(Scripted(echo), path)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DROP TABLE replies")
    other.close()
    with pytest.raises(ConfigError, match="no such table"):
        cassette.complete(ask())


RECORD = """
import sys
from pathlib import Path
from support.model_server import NAME, ask
from memgauge.llm.access import Access, SpendingLimits
from memgauge.llm.provider import open_model

path, url = sys.argv[1:]
access = Access(open_model(NAME, base_url=url), SpendingLimits(workers=1), cassette=Path(path))
for number in range(8):
    print(access.complete(ask(str(number))).text, flush=True)
"""


def test_a_killed_pass_never_pays_twice(
    httpserver: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was answered before SIGKILL is replayed afterwards, byte for byte, also with no server at all."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    at_the_fifth, killed = Event(), Event()
    answered: Counter[str] = Counter()

    def respond(asked: Asked) -> Response:
        text = asked.get_json()["messages"][0]["content"]
        if text == "4" and not killed.is_set():
            at_the_fifth.set()
            killed.wait(60)  # nobody listens any more: this one was never answered
        else:
            answered[text] += 1
        return answer(completion(f"answer {text}"))

    path = tmp_path / "cassette.sqlite"
    command = [sys.executable, "-c", RECORD, str(path), serve(httpserver, respond)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as first:
        assert at_the_fifth.wait(60)
        first.send_signal(signal.SIGKILL)
        said, _ = first.communicate()
    killed.set()
    assert said.split("\n")[:4] == [f"answer {number}" for number in range(4)]
    monkeypatch.setattr(sys, "argv", command[2:])
    with contextlib.redirect_stdout(
        io.StringIO()
    ) as here:  # any process may go on; this one has imported everything
        exec(RECORD, {})  # noqa: S102 - the test's own
    resumed = here.getvalue().splitlines()
    assert resumed == [f"answer {number}" for number in range(8)]
    assert answered == Counter({str(number): 1 for number in range(8)})
    model = open_model("openai:tiny", base_url="http://127.0.0.1:9/v1")  # where nobody listens
    replay = Access(model, cassette=path, mode="replay")
    replies = list(complete_many(replay, (ask(str(number)) for number in range(8))))
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == resumed
    assert replay.ledger.replayed == 8
    assert replay.ledger.calls == 0


def test_the_key_is_not_in_the_file(
    httpserver: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where a server repeats it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    url = serve(httpserver, lambda asked: answer(completion(asked.headers["Authorization"])))
    cassette = Cassette(open_model("openai:tiny", base_url=url), tmp_path / "cassette.sqlite")
    cassette.complete(ask())
    assert cassette.count() == 1
    assert bodies(httpserver)[0]["model"] == "tiny"
    assert all(KEY.encode() not in file.read_bytes() for file in tmp_path.iterdir())


def test_two_thousand_replies_are_replayed_without_a_call(tmp_path: Path) -> None:
    """A whole pass of judgments comes from the record, in the order asked."""
    path = tmp_path / "cassette.sqlite"
    requests = [ask(str(number)) for number in range(200)]
    recorded = list(complete_many(Cassette(Scripted(echo), path), requests))
    silent = Scripted([])
    replayed = list(complete_many(Cassette(silent, path, "replay"), requests * 10))
    assert [replace(reply, replayed=True) for reply in recorded if isinstance(reply, Reply)] * 10 == replayed
    assert not silent.asked
