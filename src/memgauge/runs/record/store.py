"""Reading sealed runs: columns for scoring, texts only when somebody wants to see them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import RunError, RunNotFoundError, TamperError
from memgauge.runs.record.cost import FILE as COST
from memgauge.runs.record.cost import CostRecord
from memgauge.runs.record.database import connect
from memgauge.runs.record.files import PLANS, below, small
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.manifest import Manifest
from memgauge.runs.record.probes import read_probes
from memgauge.runs.record.seal import Seal, how_altered, sealed
from memgauge.runs.record.stored import STORED_COLUMNS, StoredVersion
from memgauge.runs.record.tables import ORDERS
from memgauge.text.jsons import object_of
from memgauge.text.parquet import TooMuchError, bounded
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memgauge.runs.record.probes import SearchProbe

_PATTERN = "*?["
"""Letters of a pattern."""
Columns = dict[str, "NDArray[Any]"]
READ = (MANIFEST, "questions.parquet", "memories.parquet", "hits.parquet", "writes.parquet")
"""The files of a run that numbers are read from; its journal is read by verification alone."""


@dataclass(frozen=True, eq=False)
class Run:
    """A sealed run. Every table is read once, when first asked for, and only its columns that are needed."""

    folder: Path
    manifest: Manifest
    seal: Seal
    disclosed: bool = False
    """Whether whoever opened it says which files are not as they were sealed, and reads them all the same."""
    _bounded: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    """The tables that were looked at, whether they unpack to more than they may."""

    @property
    def label(self) -> str:
        """Return the name of the system in tables."""
        return self.manifest.system.label

    @property
    def commit(self) -> str:
        """Return the commit of what was measured; empty where it was not recorded."""
        return self.manifest.environment.get("commit", "")

    @cached_property
    def probes(self) -> tuple[SearchProbe, ...]:
        """What searches beside the record returned, by kind; empty where none were made.

        Raises:
            TamperError: The journal, where they stand, is not as it was sealed.
        """
        self.refuse_altered(JOURNAL)
        return read_probes(self.folder)

    @cached_property
    def cost(self) -> CostRecord | None:
        """What the run cost; ``None`` where an earlier version made it.

        Raises:
            TamperError: It is not as it was sealed.
        """
        if COST not in self.seal.files:
            return None
        self.refuse_altered(COST)
        return CostRecord.read(self.folder)

    @cached_property
    def altered(self) -> tuple[str, ...]:
        """Name the files that numbers are read from and that are not as they were sealed."""
        return self.seal.altered(self.folder, (*READ, *self.seal.covered((COST,))))

    def refuse_altered(self, *names: str) -> None:
        """Read nothing from files that are not as they were sealed, unless whoever opened the run says so of it.

        Raises:
            TamperError: One is not.
        """
        altered = () if self.disclosed else self.seal.altered(self.folder, names)
        if altered:
            raise TamperError(
                f"{self.folder} is not as it was sealed: {how_altered(self.folder, altered)}. No number is read.",
                f"Look at it with `memgauge runs verify {typed(self.folder)}`, and restore it from a copy.",
            )

    @cached_property
    def questions(self) -> Columns:
        """The attempts that count, one row a question, with ``row`` as hits name it."""
        return self._read(
            "SELECT row, question, conversation, attempt, category, outcome, reason, ms, tries, "
            "tokens::DOUBLE AS tokens, coverage, returned, notes FROM {questions} WHERE counts ORDER BY row"
        )

    @cached_property
    def hits(self) -> Columns:
        """Every hit by row number of its question and memory, ranks in order."""
        return self._read("SELECT question, rank, memory FROM {hits}")

    @cached_property
    def hits_by_hash(self) -> Columns:
        """The same, neighbours of equal score ordered by a hash of their ids: no order of storing shows."""
        return self._read(
            "SELECT question, rank, memory FROM ("
            "  SELECT *, sum(starts) OVER (PARTITION BY question ORDER BY rank) AS tie FROM ("
            "    SELECT h.question, h.rank, h.memory, sha256(m.memory) AS hashed, "
            "    (h.score IS DISTINCT FROM lag(h.score) OVER w OR h.score IS NULL)::INTEGER AS starts "
            "    FROM {hits} h JOIN {memories} m ON h.memory = m.row "
            "    WINDOW w AS (PARTITION BY h.question ORDER BY h.rank)))"
            "ORDER BY question, tie, hashed"
        )

    @cached_property
    def memories(self) -> Columns:
        """Every memory version: where it lives, its form, its sources, how they are known, and whether it counts.

        What an attempt stored that no question counts from descends from nothing: another attempt has its own.
        """
        rows = self._read("SELECT conversation, attempt, form, lineage, sources FROM {memories} ORDER BY row")
        counts = rows["counts"] = self._counts(rows)
        for place in (~counts).nonzero()[0].tolist():
            rows["sources"][place] = []
        return rows

    @cached_property
    def forms(self) -> NDArray[np.object_]:
        """(M,) the form of every memory version, as in :attr:`memories`, which takes longer to read."""
        forms: NDArray[np.object_] = self._read("SELECT form FROM {memories} ORDER BY row")["form"]
        return forms

    @cached_property
    def sources(self) -> Columns:
        """Every source of every memory that counts, one row each, in the order of memories: its row and the turn.

        The same as in :attr:`memories`, where a list for each takes most of the time of reading.
        """
        every = self._read(
            "SELECT row AS memory, conversation, attempt, lineage, unnest(sources) AS turn FROM {memories}"
        )
        counts = self._counts(every)
        return every if counts.all() else {name: column[counts] for name, column in every.items()}

    def _counts(self, rows: Columns) -> NDArray[np.bool_]:
        """Mark the rows of attempts that count; a join would read the questions again."""
        import numpy as np

        attempts = [
            zip(each["conversation"].tolist(), each["attempt"].tolist(), strict=True)
            for each in (self.questions, rows)
        ]
        counting = frozenset(attempts[0])
        return np.array([attempt in counting for attempt in attempts[1]], dtype=np.bool_)

    @cached_property
    def stored(self) -> int:
        """How many versions of memories there are, those of other attempts included."""
        return int(self._read("SELECT count(*) AS n FROM {memories}")["n"][0])

    @cached_property
    def characters(self) -> NDArray[np.float64]:
        """(M,) characters of the text of every memory; NaN where texts were left out."""
        length: NDArray[np.float64] = self._read("SELECT length(text)::DOUBLE AS n FROM {memories} ORDER BY row")[
            "n"
        ]
        return length

    def texts_of(self, memories: Sequence[int]) -> dict[int, str | None]:
        """Return the texts of *memories*, by row; ``None`` where they were left out."""
        rows = self._rows("SELECT row, text FROM {memories} WHERE row IN (SELECT unnest(?))", [list(memories)])
        return {row["row"]: row["text"] for row in rows}

    def hashes_of(self, memories: Sequence[int]) -> dict[int, str]:
        """Return the sha256 of the texts of *memories*, by row, which is there also where the texts are not."""
        rows = self._rows("SELECT row, sha256 FROM {memories} WHERE row IN (SELECT unnest(?))", [list(memories)])
        return {row["row"]: row["sha256"] for row in rows}

    @cached_property
    def writes(self) -> Columns:
        """Every write and flush with its outcome and milliseconds."""
        return self._read("SELECT conversation, attempt, kind, outcome, reason, ms FROM {writes}")

    @cached_property
    def counted_writes(self) -> Columns:
        """The same, of the attempts that count alone: what failed elsewhere was made good."""
        counts = self._counts(self.writes)
        return {name: self.writes[name][counts] for name in ("kind", "outcome", "reason")}

    @cached_property
    def last_versions(self) -> NDArray[np.int64]:
        """The rows of what counting attempts kept, of each memory the last version."""
        last = self._read(
            "SELECT conversation, attempt, max(row)::BIGINT AS row FROM {memories} "
            "GROUP BY conversation, attempt, memory ORDER BY row"
        )
        rows: NDArray[np.int64] = last["row"][self._counts(last)]
        return rows

    def hits_of(self, questions: Sequence[str], depth: int) -> dict[str, list[dict[str, Any]]]:
        """Return the first *depth* hits of the counting attempt of each question, with all about each memory."""
        hits: dict[str, list[dict[str, Any]]] = {question: [] for question in questions}
        for row in self._rows(
            "SELECT q.question, h.rank, h.score, m.memory, m.version, m.text, m.form, m.sources, m.lineage, "
            "m.valid_to, m.channel, m.row AS memory_row "
            "FROM {hits} h JOIN {questions} q ON h.question = q.row JOIN {memories} m ON h.memory = m.row "
            "WHERE q.counts AND h.rank <= ? AND q.question IN (SELECT unnest(?)) ORDER BY q.row, h.rank",
            [depth, list(questions)],
        ):
            hits[row["question"]].append(row)
        return hits

    def ranked(self, depth: int) -> list[tuple[str, int, str]]:
        """Return (question, rank, memory) of the first *depth* hits of every counting attempt, in order."""
        rows = self._rows(
            "SELECT q.question, h.rank, m.memory FROM {hits} h JOIN {questions} q ON h.question = q.row "
            "JOIN {memories} m ON h.memory = m.row WHERE q.counts AND h.rank <= ? ORDER BY q.row, h.rank",
            [depth],
        )
        return [(row["question"], row["rank"], row["memory"]) for row in rows]

    def texts(self) -> list[tuple[str, str, str | None, str]]:
        """Return (conversation, form, text, sha256) of every memory; a bundle may leave texts out."""
        rows = self._rows("SELECT conversation, form, text, sha256 FROM {memories} ORDER BY row", [])
        return [(row["conversation"], row["form"], row["text"], row["sha256"]) for row in rows]

    def stored_texts(self) -> list[dict[str, Any]]:
        """Return every memory of the attempts that count, with its words where they were kept, in order."""
        return self._rows(
            "SELECT m.conversation, m.memory, m.text, m.form, m.sources, m.lineage FROM {memories} m "
            "SEMI JOIN (SELECT DISTINCT conversation, attempt FROM {questions} WHERE counts) q "
            "USING (conversation, attempt) ORDER BY m.row",
            [],
        )

    def versions_in(self, conversations: Sequence[str]) -> list[StoredVersion]:
        """Return every memory version of *conversations*, of counting attempts, without its words."""
        rows = self._tuples(
            f"SELECT {', '.join(f'm.{name}' for name in STORED_COLUMNS)} FROM {{memories}} m "  # noqa: S608 - ours
            "SEMI JOIN (SELECT DISTINCT conversation, attempt FROM {questions} WHERE counts) q "
            "USING (conversation, attempt) WHERE m.conversation IN (SELECT unnest(?)) ORDER BY m.row",
            [list(conversations)],
        )
        returned = self._returned
        return [StoredVersion._make((*row, row[0] in returned)) for row in rows]

    @cached_property
    def _returned(self) -> frozenset[int]:
        """The rows of the memories that a search that counts ever returned."""
        import numpy as np

        counting = np.isin(self.hits["question"], self.questions["row"])
        return frozenset(np.flatnonzero(np.bincount(self.hits["memory"][counting])).tolist())

    def written_versions(self, conversations: Sequence[str]) -> list[dict[str, Any]]:
        """Return the same with its words and its store, for who writes it elsewhere."""
        return self._rows(
            "SELECT m.row, m.conversation, m.memory, m.version, m.text, m.form, m.sources, m.lineage, m.channel, "
            "m.stored_at FROM {memories} m "
            "SEMI JOIN (SELECT DISTINCT conversation, attempt FROM {questions} WHERE counts) q "
            "USING (conversation, attempt) WHERE m.conversation IN (SELECT unnest(?)) ORDER BY m.row",
            [list(conversations)],
        )

    def writes_in(self, conversations: Sequence[str]) -> list[dict[str, Any]]:
        """Return every write and flush of *conversations*, of counting attempts, in order."""
        return self._rows(
            "SELECT w.conversation, w.event, w.kind, w.session, w.turns, w.outcome, w.reason, w.ms, w.changed "
            "FROM {writes} w SEMI JOIN (SELECT DISTINCT conversation, attempt FROM {questions} WHERE counts) q "
            "USING (conversation, attempt) WHERE w.conversation IN (SELECT unnest(?)) "
            "ORDER BY w.conversation_number, w.attempt, w.event",
            [list(conversations)],
        )

    def lived(self, conversation: str, attempt: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return every memory version of one attempt, with its words, and every write, both in their order."""
        own = "WHERE conversation = ? AND attempt = ?"
        versions = self._rows(
            f"SELECT row, memory, version, text, form, sources, channel FROM {{memories}} {own} ORDER BY row",  # noqa: S608 - ours
            [conversation, attempt],
        )
        writes = self._rows(
            f"SELECT event, kind, turns, outcome, reason, changed FROM {{writes}} {own} ORDER BY event",  # noqa: S608 - ours
            [conversation, attempt],
        )
        return versions, writes

    def asked(self) -> list[dict[str, Any]]:
        """Return every question that counts, in order, with when it was asked and how it ended."""
        return self._rows(
            "SELECT question, conversation, asked_at, outcome, reason, ms FROM {questions} "
            "WHERE counts ORDER BY row",
            [],
        )

    def attempts_of(self, question: str) -> list[dict[str, Any]]:
        """Return every attempt at *question*, the counting one marked."""
        return self._rows("FROM {questions} WHERE question = ? ORDER BY attempt", [question])

    def _read(self, query: str) -> Columns:
        with self._told(), connect() as db:
            fetched = db.execute(self.named(query)).fetchnumpy()
        return {name: _unmasked(column) for name, column in fetched.items()}

    def _rows(self, query: str, parameters: Sequence[object]) -> list[dict[str, Any]]:
        with self._told(), connect() as db:
            cursor = db.execute(self.named(query), list(parameters))
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def _tuples(self, query: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._told(), connect() as db:
            return db.execute(self.named(query), list(parameters)).fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say which run it was whose tables cannot be read."""
        import duckdb

        try:
            yield
        except OSError as error:
            raise RunError(
                f"A table of {self.folder} cannot be read: {error.filename}: {error.strerror}.",
                f"Look at it with `memgauge runs verify {typed(self.folder)}`, and restore it from a copy.",
            ) from error
        except (duckdb.Error, UnicodeDecodeError, TooMuchError) as error:  # spoilt names, which it cannot spell
            raise RunError(
                f"The tables of {self.folder} cannot be read: {str(error).partition(chr(10))[0]}.",
                f"Look at it with `memgauge runs verify {typed(self.folder)}`.",
            ) from error

    def named(self, query: str) -> str:
        """Put the files of its tables for ``{questions}`` and its like in a query.

        Raises:
            RunError: One of them cannot be read, or unpacks to more than it may.
        """
        files = {}
        for table in ORDERS:
            if f"{{{table}}}" not in query:
                continue
            path = self.folder / f"{table}.parquet"
            if table not in self._bounded:
                with self._told():
                    bounded(path)
                self._bounded.add(table)
            files[table] = "read_parquet('" + str(path).replace("'", "''") + "')"
        return query.format(**files)


def _unmasked(column: NDArray[Any]) -> NDArray[Any]:
    """Make missing numbers visible as NaN inside columns; they never leave scoring as numbers."""
    import numpy as np

    if type(column) is np.ndarray:  # nothing is missing, and what knows of masks need not be loaded
        return column
    return np.ma.filled(column, np.nan) if column.dtype == np.float64 else np.ma.getdata(column)


def load(folder: Path, *, altered: bool = False) -> Run:
    """Open the sealed run at *folder*.

    With *altered* it is also opened where it is not as it was sealed; :attr:`Run.altered` names the files.

    Raises:
        RunNotFoundError: There is no run.
        RunError: It is unfinished.
        TamperError: A file that numbers are read from is not as it was sealed.
    """
    run = Run(folder, Manifest.read(folder), Seal.read(folder), altered)
    run.refuse_altered(*READ, *run.seal.covered((COST,)))
    return run


def finished_runs(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Find every finished run at or below *paths*, and, apart, the unfinished ones.

    Raises:
        RunNotFoundError: A path holds none.
    """
    folders = find_runs(paths)
    left = [path for path in folders if not sealed(path)]
    return [path for path in folders if path not in left], left


def find_runs(paths: Iterable[Path]) -> list[Path]:
    """Find every run folder at or below *paths*, or what they match as patterns, in alphabetical order.

    Raises:
        RunNotFoundError: A path holds none, or a pattern matches none.
    """
    named = list(paths)
    runs = [path for path in named if not _is_plans(path)] or named
    folders: dict[Path, None] = {}
    for path in runs:
        here = [run for place in matching(path) for run in _runs_below(place)]
        if not here:
            raise RunNotFoundError(
                f"No run at or below {path}.", "Make one with `memgauge run` or `memgauge demo`."
            )
        folders.update(dict.fromkeys(here))
    return list(folders)


def _is_plans(path: Path) -> bool:
    """Whether a folder is that of announced plans, which a shell names with the runs beside it."""
    return path.name == PLANS and next(path.glob("*.json"), None) is not None


def matching(path: Path) -> list[Path]:
    """Return *path* where something is called so, else what it matches as a pattern that no shell expanded.

    Raises:
        RunNotFoundError: It is a pattern, and nothing matches it.
    """
    pattern = str(path)
    if path.exists() or not any(sign in pattern for sign in _PATTERN):
        return [path]
    matches = sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
    if not matches:
        raise RunNotFoundError(
            f"Nothing is called like {pattern}.", "See what there is with `memgauge runs list FOLDER`."
        )
    return matches


def _runs_below(path: Path) -> list[Path]:
    if not path.is_dir():
        return []
    return sorted(each.parent for each in below(path) if each.name == MANIFEST and is_run(each.parent))


def is_run(folder: Path) -> bool:
    """Whether *folder* is that of a run: folders of data, too, have a manifest, which names no system.

    What has a journal or a seal is a run whatever its manifest says: one that is spoilt is not passed over.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return False
    if sealed(folder) or (folder / JOURNAL).exists():
        return True
    try:
        return "system" in (object_of(small(path)) or {})
    except RunError:
        return False
