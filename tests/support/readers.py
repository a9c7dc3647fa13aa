"""Every reader of files of others, each with a small valid sample of its own."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.datasets.building.chats import read_chats
from memgauge.datasets.building.turns import read_turns, write_turns
from memgauge.datasets.building.worksheet import read_worksheet, write_worksheet
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.own.lines import lines_of
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.otlp.importing import import_otlp
from memgauge.llm.cassette import Cassette, Mode
from memgauge.llm.scripted import Scripted
from memgauge.records import Fact
from memgauge.runs.layers.layer import FOLDER as LAYERS
from memgauge.runs.layers.layer import LayerManifest, LayerWriter, layers, write_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.store import load
from memgauge.scoring.verify import verify
from memgauge.studies.golden.incidents import lint
from memgauge.studies.golden.loading import load_suite
from memgauge.studies.track.timeline.opening import open_instance
from memgauge.systems.loading import read_system_file
from memgauge.systems.storefile import read_store
from memgauge.systems.wire.messages import read as read_message
from memgauge.systems.wire.methods import METHODS, Memories
from memgauge.systems.wire.values import from_json
from support.beam import chat, probes
from support.claim_files import claim_readers
from support.further import further_readers
from support.fuzz import Reader
from support.handmade import conversation, two_questions
from support.model_server import ask
from support.otlp import KEPT, MINIMAL, memory, span
from support.otlp import line as request_line
from support.timeline import write_archive

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.datasets.base import Dataset
    from support.fuzz import Sample

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": " I bought a kayak. ", "blip_caption": "a red boat"},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice!"},
            ],
            "session_2_date_time": "12:05 am on 9 May, 2023",
            "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "I sold mine."}],
        },
        "qa": [
            {"question": "What did Ann buy?", "answer": "a kayak", "evidence": ["D1:1"], "category": 4},
            {"question": "In which year?", "answer": 2023, "evidence": ["D:1:01; D2:1", "D9:9"], "category": 2},
            {"question": "Sold?", "evidence": ["D2:1"], "category": 5, "adversarial_answer": "a kayak"},
        ],
        "observation": {"session_1_observation": {"Ann": [["Ann owns a kayak.", "D1:1"]]}},
        "session_summary": {"session_1_summary": "Ann tells Bob about a kayak."},
    }
]
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "How many plants do I own?",
        "answer": 3,
        "question_date": "2023/06/01 (Thu) 00:58",
        "haystack_dates": ["2023/05/25 (Thu) 20:21", "2023/05/20 (Sat) 08:00"],
        "haystack_session_ids": ["answer_ab_1", "ultrachat_7"],
        "haystack_sessions": [
            [{"role": "user", "content": "I own three plants.", "has_answer": True}],
            [{"role": "assistant", "content": "Hello."}],
        ],
        "answer_session_ids": ["answer_ab_1"],
    }
]
HALUMEM = {
    "uuid": "u1",
    "persona_info": "Name: Ada; Gender: Female; Born: 1990",
    "sessions": [
        {
            "start_time": "Jan 02, 2026, 10:00:00",
            "end_time": "Jan 02, 2026, 10:30:00",
            "dialogue": [
                {"role": "user", "content": "I adopted a cat.", "timestamp": "Jan 02, 2026, 10:00:00"},
                {"role": "assistant", "content": "How nice!", "timestamp": "Jan 02, 2026, 10:00:00"},
            ],
            "memory_points": [
                {
                    "memory_content": "Ada adopted a cat.",
                    "memory_type": "Event Memory",
                    "memory_source": "primary",
                    "is_update": "False",
                    "original_memories": [],
                    "timestamp": "Jan 02, 2026, 10:30:00",
                    "importance": 0.75,
                }
            ],
            "questions": [
                {
                    "question": "Which pet?",
                    "answer": "A cat",
                    "evidence": [{"memory_content": "ada adopted a CAT"}],
                    "question_type": "Basic Fact Recall",
                }
            ],
        }
    ],
}
SUITE = b"""\
schema: 1
suite: {id: core, version: 1.0.0}
scenarios:
- id: city.moved
  title: a correction
  family: currency
  steps:
  - {say: "My city is {a}.", sets: {city: a}}
  - {ask: "What is my city?", about: city}
retired:
- {id: city.gone, reason: it tested words, by: ada}
"""
LOCK = b"""\
schema: 1
release: 1.3.0
cases:
- city.moved
incidents:
- {id: INC-1, title: the old city came back, closed: 2026-03-09, case: city.moved}
retired:
- {id: city.older, reason: covered by city.moved, by: ada, superseded_by: city.moved}
"""
CHATGPT = [
    {
        "title": "x",
        "create_time": 1714550400.0,
        "current_node": "b",
        "mapping": {
            "r": {"message": None, "parent": None, "children": ["a"]},
            "a": {
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1714550405.9,
                    "content": {"content_type": "text", "parts": ["We moved to Braga."]},
                    "recipient": "all",
                    "metadata": {},
                },
                "parent": "r",
                "children": ["b"],
            },
            "b": {
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": 1714550415.0,
                    "content": {
                        "content_type": "multimodal_text",
                        "parts": ["Lovely!", {"content_type": "image"}],
                    },
                },
                "parent": "a",
                "children": [],
            },
        },
    }
]
CLAUDE = [
    {
        "created_at": "2024-03-01T09:00:00.123456+01:00",
        "chat_messages": [
            {"sender": "human", "text": "I live in Porto.", "created_at": "2024-03-01T08:00:07.000001Z"},
            {
                "sender": "assistant",
                "text": "",
                "content": [{"type": "thinking"}, {"type": "text", "text": "Nice."}],
            },
        ],
    }
]
MESSAGES = [
    {"speaker": "Ada", "role": "user", "text": "I live in Porto.", "at": "2024-03-01T09:00:00", "session": "1"},
    {"speaker": "bot", "role": "assistant", "text": [{"text": "Nice."}], "at": 1709283600, "session": "1"},
]
STORE = [
    {"format": 1, "store": "facts", "dataset": "synthetic:tiny", "sha256": "0"},
    {"id": "a", "conversation": "c", "text": "A cat.", "form": "canonical", "sources": ["t1", "b"]},
    {
        "id": "b", "conversation": "c", "text": "A dog.", "form": "raw", "sources": ["t2"],
        "event_at": "2024-03-01T09:00:00",
    },
]  # fmt: skip


def spell(value: object) -> bytes:
    """Write JSON."""
    return json.dumps(value).encode()


def lines(rows: list[Any]) -> bytes:
    """Write JSON lines."""
    return b"".join(spell(row) + b"\n" for row in rows)


def below(folder: Path) -> Sample:
    """Read every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def whole(ref: str, root: Path | None = None) -> None:
    """Read everything that a dataset can say."""
    dataset: Any = open_dataset(ref, root=root, allow_unpinned=True)
    for name in ("cases", "gold", "truth", "points"):
        for _ in getattr(dataset, name, tuple)():
            pass
    dataset.describe()


@cache
def tiny() -> Dataset:
    """Open a benchmark of two conversations."""
    return open_dataset("synthetic:tiny")


@cache
def sealed() -> Sample:
    """Make a sealed run with a layer of answers and one of verdicts that was interrupted."""
    with tempfile.TemporaryDirectory() as out:
        (folder,) = execute(
            plan(["synthetic:tiny"], ["recency"], conversations=1), Path(out), executor=Inline(), check=False
        )
        run = load(folder)
        manifest = LayerManifest(kind="answers", base=run.seal.content, label="x", maker={"answerer": "x"})
        row = {"key": "q", "question": "q", "outcome": "ok", "reason": "", "text": "Paris", "shown": 0}
        write_layer(run, manifest, ["q"], lambda _: iter([row]))
        return below(folder)


def _own() -> Sample:
    (case,), (golds) = (tuple(part) for part in zip(*two_questions().each, strict=True))
    fact = Fact("f1", case.conversation.id, "Ada", "pet", "Mist", ("t1",), valid_from=datetime(2024, 3, 1))  # noqa: DTZ001 - as conversations are
    written = lines_of(case, golds[0], [fact])
    files = {f"{name}.jsonl": text.encode() for name, text in zip(written._fields, written.texts(), strict=True)}
    return files | {"manifest.json": spell({"format": 1, "name": "mine"})}


def _archive() -> Sample:
    with tempfile.TemporaryDirectory() as out:
        write_archive(Path(out))
        return below(Path(out))


def _timeline() -> Sample:
    from memgauge.studies.track.timeline.opening import demo_folder

    path = min(demo_folder().glob("*/timeline.json"), key=lambda each: each.stat().st_size)
    return {"timeline.json": path.read_bytes()}


def _read_run(folder: Path) -> None:
    """Open a run as every command does: verify it, read its tables, its layers."""
    verify(folder)
    run = load(folder)
    for layer in layers(run, "answers"):
        layer.rows()


def _journal(folder: Path) -> None:
    with Journal(folder):
        pass


def _layer(folder: Path) -> None:
    manifest = LayerManifest(kind="answers", base="0", label="x", maker={})
    with LayerWriter(folder, manifest) as writer:
        writer.seal({})


def _unsealed() -> Sample:
    return {"journal.jsonl": sealed()["journal.jsonl"]}


def _unsealed_layer() -> Sample:
    name = LayerManifest(kind="answers", base="0", label="x", maker={}).id
    return {f"{LAYERS}/{name}/rows.jsonl": lines([{"key": "a", "text": "x"}, {"key": "b", "text": "y"}])}


def _bundle() -> Sample:
    with tempfile.TemporaryDirectory() as out:
        for name, raw in sealed().items():
            path = Path(out) / "run" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        return {"run.zip": bundle(Path(out) / "run", Path(out) / "run.zip").read_bytes()}


def _unpack(folder: Path) -> None:
    with unbundled(folder / "run.zip") as found:
        load(found)


def _trace(kind: str) -> bytes:
    asked = next(tiny().cases())
    names, turns = [question.id for question in asked.questions], [turn.id for turn in asked.conversation.turns()]
    hits: list[dict[str, Any]] = [
        {"question": names[0], "rank": 1, "memory": "m1", "text": "x", "form": "summary", "sources": ["m2"]},
        {"question": names[0], "rank": 2, "memory": "m3", "score": 0.5},
        {"conversation": asked.conversation.id, "memory": "m2", "text": "y", "sources": turns[:1]},
        {"question": names[1], "outcome": "error", "reason": "down"},
    ]
    if kind == "csv":
        text = io.StringIO()
        sheet = csv.DictWriter(text, ["question", "rank", "memory", "text", "form", "sources"])
        sheet.writeheader()
        sheet.writerow(hits[0] | {"sources": turns[0]})
        return text.getvalue().encode()
    done = {
        "search": {
            "status": "completed",
            "results": [{"id": "m", "memory": "A cat.", "similarity": 0.9}, "plain"],
        },
        "answer": {"hypothesis": "a cat"},
        "evaluate": {"label": "incorrect"},
    }
    judged = {"query_id": names[0], "query": "?", "answer": "x", "correct": True, "meta": {"sample_id": "c"}}
    written = {
        "jsonl": lines(hits),
        "trec": f"{names[0]} Q0 {turns[0]} 1 1.5 t\n{names[0]} Q0 {turns[1]} 2 0.5 t\n".encode(),
        "amb": spell(
            {"judge_llm": "j", "results": [judged | {"context": f'## Memory 1\n"dia_id": "{turns[0]}"'}]}
        ),
        "memorybench": spell({"questions": {names[0]: {"questionId": names[0], "question": "?", "phases": done}}}),
        "mem0": spell(
            [{"question": asked.questions[0].text, "response": "x", "memories": [{"memory": "m", "score": 1}]}]
        ),
    }
    return written[kind]


def _importer(kind: str) -> Reader:
    def read(folder: Path) -> None:
        import_trace(kind, folder / f"trace.{kind}", tiny(), folder / "out", label="x", partial=True)

    return Reader(f"import-{kind}", lambda: {f"trace.{kind}": _trace(kind)}, read)


def _log() -> Sample:
    ranked = [{"corpus_id": "noans_ab_1_1", "text": "Nice."}, {"corpus_id": "ultrachat_7"}]
    row = {"question_id": "q1", "retrieval_results": {"ranked_items": ranked}, "hypothesis": "Porto"}
    row["autoeval_label"] = {"model": "gpt-4o", "label": True}
    return {"data.json": spell(LONGMEMEVAL), "log.jsonl": lines([row])}


def _import_log(folder: Path) -> None:
    dataset = open_dataset(f"longmemeval:{folder}/data.json", allow_unpinned=True)
    import_trace("longmemeval", folder / "log.jsonl", dataset, folder / "out", label="x", partial=True)


def _cassette() -> Sample:
    with tempfile.TemporaryDirectory() as out:
        path = Path(out) / "c.sqlite"
        for text in ("one", "two"):
            Cassette(Scripted(lambda request: request.messages[-1].text), path).complete(ask(text))
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("PRAGMA journal_mode = DELETE")
        file.close()
        return {"c.sqlite": path.read_bytes()}


def _replay(folder: Path) -> None:
    cassette = Cassette(Scripted([]), folder / "c.sqlite", Mode.REPLAY)
    cassette.digest()
    for text in ("one", "two"):
        cassette.complete(ask(text))


def _worksheet() -> Sample:
    rows = [json.loads(line) for line in write_worksheet([conversation()]).splitlines()]
    fact = {"subject": "Ada", "slot": "pet", "value": "Mist", "turns": ["t1"], "valid_from": "2024-03-01"}
    asked = {"text": "Which pet?", "answers": ["Mist"], "evidence": ["t1"], "category": "fact"}
    rows[0] |= {"status": "reviewed", "facts": [fact], "questions": [asked], "reviewed_by": "ada"}
    return {"worksheet.jsonl": lines(rows)}


def _beir() -> Sample:
    home = {"conversation": "c"}
    return {
        "corpus.jsonl": lines([{"_id": "d1", "title": "", "text": "A cat.", "metadata": home}]),
        "queries.jsonl": lines([{"_id": "q1", "text": "Which pet?", "metadata": home}]),
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    }


def _beam_row() -> dict[str, Any]:
    none = {"time_anchor": None, "index": None, "question_type": None}
    batches = [[none | message for turn in entry["turns"] for message in turn] for entry in chat()]
    return {"conversation_id": "1", "chat": batches, "probing_questions": repr(probes())}


def _parquet() -> Sample:
    import duckdb

    with tempfile.TemporaryDirectory() as out, duckdb.connect() as db:
        rows, path = Path(out) / "rows.jsonl", Path(out) / "rows.parquet"
        rows.write_bytes(lines([_beam_row()]))
        db.execute(f"COPY (FROM read_json_auto('{rows}')) TO '{path}' (FORMAT parquet)")
        return {"rows.parquet": path.read_bytes()}


_KINDS = {name: method.params for name, method in METHODS.items()} | {"memories": Memories}


def _wire() -> Sample:
    scope = {"user": "ada"}
    turn = {"id": "t", "speaker": "Ada", "text": "x", "session": "s", "at": "2024-03-04T09:30:00"}
    memory = {"id": "m", "text": "x", "form": "raw", "sources": ["t"]}
    params = {
        "ingest": {"turns": [turn], "scope": scope},
        "flush": {"scope": scope, "timeout_s": 1.5},
        "search": {"query": "?", "scope": scope, "k": 3},
        "update": {"memory": "m", "text": "y", "scope": scope},
        "delete": {"memories": ["m"], "scope": scope},
        "memories": {"memories": [memory]},
    }
    rows = [{"jsonrpc": "2.0", "id": n, "method": name, "params": p} for n, (name, p) in enumerate(params.items())]
    return {"wire": lines(rows)}


def _messages(folder: Path) -> None:
    """Read every line; here the errors name the message, for there is no file."""
    from memgauge.errors import ContractBreach

    for line in (folder / "wire").read_bytes().split(b"\n"):
        try:
            message = read_message(line)
            kind: Any = _KINDS.get(str(message.get("method")), METHODS["dump"].params)
            from_json(kind, message.get("params"), "params")
        except ContractBreach:
            continue


def _file(name: str, sample: bytes, read: Callable[[Path], object], file: str) -> Reader:
    return Reader(name, lambda: {file: sample}, lambda folder: read(folder / file))


def _dataset(name: str, sample: Callable[[], Sample], path: str = "") -> Reader:
    return Reader(f"data-{name}", sample, lambda folder: whole(f"{name.partition('-')[0]}:{folder}{path}"))


def _heading() -> bytes:
    text = io.StringIO()
    sheet = csv.writer(text)
    sheet.writerows([["speaker", "role", "text", "time"], ["Ada", "user", 'a "cat", yes', "2024-03-01 09:00"]])
    return text.getvalue().encode()


READERS: tuple[Reader, ...] = (
    _dataset("own", _own),
    Reader("data-locomo", lambda: {"locomo10.json": spell(LOCOMO)}, lambda folder: whole("locomo", folder)),
    _dataset("longmemeval", lambda: {"haystack.json": spell(LONGMEMEVAL)}, "/haystack.json"),
    _dataset("halumem", lambda: {"h.jsonl": lines([HALUMEM])}, "/h.jsonl"),
    _dataset("beir", _beir),
    _dataset(
        "beam-folder",
        lambda: {
            "1/chat.json": spell(chat()),
            "1/probing_questions/probing_questions.json": repr(probes()).encode(),
        },
    ),
    _dataset("beam-lines", lambda: {"rows.jsonl": lines([_beam_row()])}, "/rows.jsonl"),
    _dataset("beam-list", lambda: {"rows.json": spell([_beam_row()])}, "/rows.json"),
    _dataset("beam-parquet", _parquet, "/rows.parquet"),
    _file("build-chatgpt", spell(CHATGPT), read_chats, "conversations.json"),
    _file("build-claude", spell(CLAUDE), read_chats, "conversations.json"),
    _file("build-jsonl", lines(MESSAGES), read_chats, "chats.jsonl"),
    _file("build-csv", _heading(), read_chats, "chats.csv"),
    _file("build-turns", write_turns([conversation()]).encode(), read_turns, "turns.jsonl"),
    Reader("build-worksheet", _worksheet, lambda folder: read_worksheet(folder / "worksheet.jsonl", drafts=True)),
    _file("suite", SUITE, load_suite, "core.memsuite.yaml"),
    _file("incidents", LOCK, lambda path: lint([], path), "incidents.lock"),
    Reader("run", sealed, _read_run),
    Reader("run-journal", _unsealed, _journal),
    Reader("run-layer", _unsealed_layer, _layer),
    Reader("bundle", _bundle, _unpack),
    *(_importer(kind) for kind in ("jsonl", "csv", "trec", "amb", "memorybench", "mem0")),
    _file(
        "import-otlp",
        f"{MINIMAL}\n{request_line(span(2, memory('upsert_memory', records=[{'content': 'a'}])))}\n".encode(),
        lambda path: import_otlp([path], Path(tempfile.mkdtemp(dir=path.parent)) / "traffic", KEPT),
        "spans.jsonl",
    ),
    Reader("import-longmemeval", _log, _import_log, ("log.jsonl",)),
    Reader("cassette", _cassette, _replay),
    Reader("wire", _wire, _messages),
    _file("store", lines(STORE), read_store, "facts.jsonl"),
    _file(
        "system",
        b'system = "bm25"\nlabel = "x"\n[parameters]\nk1 = 1.2\n',
        lambda p: read_system_file(str(p)),
        "s.toml",
    ),
    Reader("timeline", _timeline, lambda folder: open_instance(folder / "timeline.json")),
    Reader(
        "memtrack",
        _archive,
        lambda folder: [open_instance(path) for path in sorted(folder.rglob("config_*.y*ml"))],
    ),
    *claim_readers(),
    *further_readers(),
)
"""Every reader by name."""
