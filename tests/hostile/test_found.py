"""What fuzzing found: each escaped a reader once, and must not again."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest

from memgauge.errors import ConfigError, MalformedDataError, RunError
from memgauge.exchange import reading
from memgauge.llm.judges.rubrics import FACT
from memgauge.measures import parse
from memgauge.runs.layers.layer import layers
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import NAMES, Seal, file_hash, seal
from memgauge.runs.record.store import load
from memgauge.scoring.verify import verify
from support.faults import failed
from support.fuzz import attempt
from support.readers import READERS, lines, sealed, spell

BY_NAME = {reader.name: reader for reader in READERS}
DEEP = b"[" * 50_000
DIGITS = b"9" * 5000


def read(name: str, file: str, content: bytes) -> str:
    """Let a reader read its sample with one file replaced, and return how it ended."""
    reader = BY_NAME[name]
    sample = reader.sample()
    assert file in sample
    with tempfile.TemporaryDirectory() as folder:
        return attempt(reader, sample | {file: content}, Path(folder))


def test_a_history_of_an_endless_name_is_not_there() -> None:
    """A name too long for any file is told as a file that is missing."""
    sample = BY_NAME["memtrack"].sample()
    (name,) = (one for one in sample if one.endswith((".yaml", ".yml")))
    config = re.sub(rb"event_history: .*", b"event_history: " + b"a" * 5000, sample[name])
    assert config != sample[name]
    assert read("memtrack", name, config) == "DataNotFoundError"


def test_half_a_surrogate_pair_can_be_complained_of() -> None:
    """Evidence that names no event is quoted so that every terminal and every library can say it."""
    document = json.loads(BY_NAME["timeline"].sample()["timeline.json"])
    document["questions"][0]["evidence"] = ["\ud800"]
    assert read("timeline", "timeline.json", json.dumps(document).encode()) == "MalformedDataError"


def test_a_judge_may_have_any_name() -> None:
    """Half a surrogate pair in the name of an imported judge is written as a question mark."""
    sample = BY_NAME["import-amb"].sample()
    ((name, content),) = sample.items()
    whole = json.loads(content)
    assert read("import-amb", name, json.dumps(whole | {"judge_llm": "\ud800"}).encode()) == "read"


def test_memories_that_are_no_list_have_a_place() -> None:
    """A number where a harness lists what was found is refused, and not taken for nothing found."""
    sample = BY_NAME["import-mem0"].sample()
    ((name, content),) = sample.items()
    spoilt = re.sub(rb'"(memories|retrieval|speaker_1_memories)": ?\[', rb'"\1": 7.5, "kept": [', content)
    assert spoilt != content
    assert read("import-mem0", name, spoilt) == "MalformedDataError"


def test_a_column_whose_name_is_no_text_is_missing() -> None:
    """The engine quotes it in its complaint, which nobody can decode."""
    ((name, content),) = BY_NAME["data-beam-parquet"].sample().items()
    assert b"conversation_id" in content
    spoilt = content.replace(b"conversation_id", b"\xf3onversation_id")
    assert read("data-beam-parquet", name, spoilt) == "MalformedDataError"


def test_numbers_beyond_reading_are_no_places() -> None:
    """Evidence, sessions and cutoffs of thousands of digits name nothing; Python itself refuses to read them."""
    digits = DIGITS.decode()
    (sample,) = json.loads(BY_NAME["data-locomo"].sample()["locomo10.json"])[:1]
    sample["qa"][0]["evidence"] = [f"D1:{digits}", f"D{digits}:1"]
    sample["conversation"][f"session_{digits}"] = []
    assert read("data-locomo", "locomo10.json", json.dumps([sample]).encode()) in {"read", "MalformedDataError"}
    with pytest.raises(ConfigError, match="is not a measure"):
        parse(f"Recall@{digits}")


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("data-own", "turns.jsonl", b'{"conversation":"\xff"}\n'),
        ("data-own", "manifest.json", DEEP),
        ("data-own", "manifest.json", b"\xff"),
        ("data-beir", "corpus.jsonl", b'{"_id":"\xff"}\n'),
        ("data-beir", "corpus.jsonl", DEEP),
        ("data-beir", "qrels/test.tsv", b"a\tb\tc\nq1\td1\t\xff\n"),
        ("data-beir", "qrels/test.tsv", b"a\tb\tc\nq1\td1\t" + DIGITS + b"\n"),
        ("data-beir", "qrels/test.tsv", "a\tb\tc\nq1\td1\t²\n".encode()),
        ("data-locomo", "locomo10.json", DEEP),
        ("data-beam-lines", "rows.jsonl", DEEP),
        ("data-beam-folder", "1/chat.json", DEEP),
        ("data-beam-folder", "1/probing_questions/probing_questions.json", b"(" * 50_000),
        ("build-chatgpt", "conversations.json", DEEP),
        ("build-jsonl", "chats.jsonl", b'{"speaker":"a","text":"b","at":1' + b"0" * 400 + b"}\n"),
        ("build-jsonl", "chats.jsonl", b'{"a":' * 50_000),
        ("build-csv", "chats.csv", b"speaker,text\rx,y\n"),
        ("build-turns", "turns.jsonl", DEEP),
        ("suite", "core.memsuite.yaml", DEEP),
        ("suite", "core.memsuite.yaml", b"schema: !!bool x\n"),
        ("suite", "core.memsuite.yaml", b"schema: !!timestamp x\n"),
        ("suite", "core.memsuite.yaml", b"schema: 1\nsuite: &a [*a]\n"),
        ("incidents", "incidents.lock", b"schema: 2024-99-99\n"),
        ("incidents", "incidents.lock", b"schema: 1\nincidents: {a: b}\n"),
        ("incidents", "incidents.lock", b"- {a: b}\n"),
        ("run-layer", "layers/answers-x-9e4c6fc4/rows.jsonl", b""),
        ("import-csv", "trace.csv", b"question,rank\na,b,c\n"),
        ("import-csv", "trace.csv", b"question,rank\na\rb,1\n"),
        ("import-jsonl", "trace.jsonl", DEEP),
        ("import-mem0", "trace.mem0", DIGITS),
        ("import-mem0", "trace.mem0", '{"②": []}'.encode()),
        ("import-memorybench", "trace.memorybench", b'{"questions": {"q1": {"phases": {"search": "x"}}}}'),
        ("system", "s.toml", b"a = " + b"[" * 5000),
        ("store", "facts.jsonl", DEEP),
    ],
)
def test_what_once_escaped_is_refused(name: str, file: str, content: bytes) -> None:
    """Bytes that are no text, depth, digits, tags: an error of ours, which names the file."""
    if name == "run-layer":
        (file,), content = BY_NAME[name].sample(), b"[1]\n"
    assert read(name, file, content).endswith("Error")


@pytest.mark.parametrize("reply", ['{"verdict": ' * 50_000, "[" * 50_000, '{"verdict": ' + "9" * 5000 + "}"])
def test_a_judge_that_replies_with_depth_is_invalid(reply: str) -> None:
    """A model can be talked into anything."""
    with pytest.raises(ValueError, match="no verdict could be read"):
        FACT.form.read(reply)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Write a sealed run to be spoiled."""
    for name, raw in sealed().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(raw)
    return tmp_path


def reseal(folder: Path) -> None:
    """Seal a spoilt run again, as whoever forges one would."""
    old = Seal.read(folder)
    (folder / SEAL).write_text(Seal({name: file_hash(folder / name) for name in NAMES}, old.content).text)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"x" * 100])
def test_a_forged_table_that_is_none_is_a_finding(run: Path, content: bytes) -> None:
    """Under a seal that fits; and whoever reads the run is told where to look."""
    (run / "hits.parquet").write_bytes(content)
    reseal(run)
    assert set(failed(run)) >= {"tables against the seal"}
    with pytest.raises(RunError, match=r"(?s)cannot be read: .*memgauge runs verify"):
        _ = load(run).hits
    with pytest.raises(RunError, match="cannot be read"):
        load(run).hits_of(["q"], 1)


@pytest.mark.parametrize("content", [b"[1, 2]\n", b'{"t": [}\n', b'{"t":"question","memories":"x"}\n'])
def test_a_forged_journal_that_is_none_is_a_finding(run: Path, content: bytes) -> None:
    """Tables cannot be made of it, which is said, here and where a run is to be sealed."""
    (run / JOURNAL).write_bytes((run / JOURNAL).read_bytes() + content)
    reseal(run)
    assert "tables against the journal" in failed(run)
    with pytest.raises(RunError, match="makes no tables"):
        seal(run)


def test_a_seal_and_a_manifest_of_depth_are_refused(run: Path) -> None:
    """Neither is read to the end of the stack."""
    for name in (SEAL, MANIFEST):
        raw = (run / name).read_bytes()
        (run / name).write_bytes(DEEP)
        with pytest.raises(RunError, match=name):
            verify(run)
        (run / name).write_bytes(raw)


@pytest.mark.parametrize("content", [b"x\n", b"[1]\n", DEEP + b"\n"])
def test_a_forged_layer_is_an_error(run: Path, content: bytes) -> None:
    """Under a seal that fits, its rows are no rows."""
    (folder,) = (run / "layers").iterdir()
    (folder / "rows.jsonl").write_bytes(content)
    hashes = {name: file_hash(folder / name) for name in ("layer.json", "rows.jsonl")}
    (folder / "SEAL").write_text(json.dumps(hashes, indent=2) + "\n")
    (layer,) = layers(load(run), "answers")
    with pytest.raises(RunError, match=r"rows\.jsonl:1: no row"):
        layer.rows()


def test_a_layer_without_its_maker_is_named(run: Path) -> None:
    """The rest of the run is as it was."""
    (folder,) = (run / "layers").iterdir()
    (folder / "layer.json").unlink()
    assert failed(run) == {f"layers/{folder.name}": f"{folder} lacks its layer.json."}


def test_a_packed_file_that_bursts_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before all of it is in memory."""
    monkeypatch.setattr(reading, "UNPACKED", 1 << 20)
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(bytes(3 << 20)))
    with pytest.raises(MalformedDataError, match=re.escape(f"{path}: it unpacks to more than")):
        reading.read_json(path)


def cassette(folder: Path, **changes: Any) -> Path:
    """Write a record whose replies are something else."""
    path = folder / "c.sqlite"
    path.write_bytes(BY_NAME["cassette"].sample()["c.sqlite"])
    file = sqlite3.connect(path)
    with file:
        for name, value in changes.items():
            file.execute(f"UPDATE replies SET {name} = ?", (value,))  # noqa: S608 - our own names
    file.close()
    return folder


@pytest.mark.parametrize("reply", ["", "{", "[]", "{}", '{"usage": 1}', b"\xff", 1, "[" * 50_000])
def test_a_reply_that_is_none_is_named(tmp_path: Path, reply: object) -> None:
    """The record that holds it, and the request that it belongs to."""
    with pytest.raises(ConfigError, match=r"c\.sqlite: the reply to request [0-9a-f]{12} is none"):
        BY_NAME["cassette"].read(cassette(tmp_path, reply=reply))


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":' * 50_000,
        spell({"method": "flush", "params": {"scope": {"user": "a"}, "timeout_s": 10**400}}),
    ],
)
def test_a_message_that_once_escaped_is_a_breach(line: bytes) -> None:
    """Whatever a memory sends is its own fault, never ours."""
    assert read("wire", "wire", line) == "read"


def test_lines_and_values_are_spelled() -> None:
    """The helpers above are what they say."""
    assert lines([{"a": 1}, []]) == b'{"a": 1}\n[]\n'
