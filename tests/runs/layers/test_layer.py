"""Layers on sealed runs."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import RunBusyError, RunError, RunNotFoundError
from memgauge.runs.layers.layer import (
    ROWS,
    LayerManifest,
    LayerWriter,
    _read,
    layers,
    load_layer,
    sealed,
    write_layer,
)
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from support.disk import full_disk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Make a small run."""
    (folder,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path, executor=Inline(), check=False)
    return load(folder)


def manifest(run: Run, **maker: Any) -> LayerManifest:
    """Name a layer of answers."""
    return LayerManifest(kind="answers", base=run.seal.content, label="Test: it!", maker=maker)


def rows(keys: list[str]) -> Iterator[Row]:
    """Make a row for each key."""
    return ({"key": key, "text": f"about {key}"} for key in keys)


def test_a_layer_is_made_once(run: Run) -> None:
    """A sealed layer is opened again, and nothing is asked for."""
    made = write_layer(run, manifest(run), ["a", "b"], rows, lambda: {"usd": 0.5})
    assert [row["text"] for row in made.rows()] == ["about a", "about b"]
    assert made.manifest.environment == {"usd": 0.5}
    again = write_layer(run, manifest(run), ["a", "b"], lambda keys: pytest.fail(str(keys)))
    assert again.hash == made.hash
    assert [layer.folder for layer in layers(run, "answers")] == [made.folder]
    assert layers(run, "verdicts") == []


def test_identity_is_what_decides_the_rows(run: Run) -> None:
    """Another maker is another layer; circumstances are not."""
    first = manifest(run, model="a")
    assert first.id.startswith("answers-test-it-")
    assert first.id != manifest(run, model="b").id
    assert first.model_copy(update={"environment": {"usd": 3}}).id == first.id


def test_a_layer_goes_on_after_its_last_whole_line(run: Run) -> None:
    """A torn line is cut away, and only the rest is made."""
    with LayerWriter(run.folder, manifest(run)) as writer:
        writer.append({"key": "a", "text": "about a"})
    assert layers(run, "answers") == []
    with (writer.folder / ROWS).open("ab") as file:
        file.write(b'{"key":"b","te')
    asked: list[str] = []

    def make(keys: list[str]) -> Iterator[Row]:
        asked.extend(keys)
        return rows(keys)

    made = write_layer(run, manifest(run), ["a", "b", "c"], make)
    assert asked == ["b", "c"]
    assert [row["key"] for row in made.rows()] == ["a", "b", "c"]


def test_a_killed_writer_loses_nothing_that_it_appended(run: Run) -> None:
    """A process killed with SIGKILL leaves every appended row behind."""
    code = f"""
        import os, signal
        from pathlib import Path
        from memgauge.runs.layers.layer import LayerManifest, LayerWriter
        manifest = LayerManifest.model_validate_json({manifest(run).model_dump_json()!r})
        writer = LayerWriter(Path({str(run.folder)!r}), manifest)
        for n in range(5):
            writer.append({{"key": f"k{{n}}", "text": "x"}})
        os.kill(os.getpid(), signal.SIGKILL)
    """
    died = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert died.returncode == -signal.SIGKILL
    with LayerWriter(run.folder, manifest(run)) as writer:
        assert writer.done == ("k0", "k1", "k2", "k3", "k4")


def test_what_is_not_as_sealed_is_refused(run: Run) -> None:
    """A changed row, a missing seal, a missing layer and a strange manifest are each named."""
    made = write_layer(run, manifest(run), ["a"], rows)
    path = made.folder / ROWS
    kept = path.read_bytes()
    path.write_bytes(kept.replace(b"about", b"above"))
    with pytest.raises(RunError, match="not as it was sealed"):
        load_layer(made.folder)
    path.write_bytes(kept)
    (made.folder / "SEAL").unlink()
    assert not sealed(made.folder)
    with pytest.raises(RunError, match="unfinished"):
        load_layer(made.folder)
    with pytest.raises(RunNotFoundError, match="No layer"):
        load_layer(made.folder / "absent")


def test_a_layer_of_another_version_says_so(run: Run) -> None:
    """A manifest with unknown fields is refused by the name of the field."""
    with LayerWriter(run.folder, manifest(run)) as writer:
        writer.append({"key": "a"})
        sealed_layer = writer.seal({})
    text = (sealed_layer.folder / "layer.json").read_text().replace('"label"', '"lable"')
    (sealed_layer.folder / "layer.json").write_text(text)
    with pytest.raises(RunError, match="not as it was sealed"):
        load_layer(sealed_layer.folder)
    with LayerWriter(run.folder, manifest(run)) as writer:
        pass
    (sealed_layer.folder / "SEAL").unlink()
    with pytest.raises(RunError, match="label: Field required"):
        _read(sealed_layer.folder)


def test_a_full_disk_keeps_what_was_whole(run: Run) -> None:
    """A write that fails is one sentence, and the layer can go on."""
    with LayerWriter(run.folder, manifest(run)) as writer:
        writer.append({"key": "a"})
        with full_disk(40), pytest.raises(RunError, match="Cannot write"):
            writer.append({"key": "b" * 80})
    with LayerWriter(run.folder, manifest(run)) as writer:
        assert writer.done == ("a",)


def test_two_writers_never_share_a_layer(run: Run) -> None:
    """The second one is refused while the first is writing, and finds it sealed afterwards."""
    with LayerWriter(run.folder, manifest(run)) as first:
        first.append({"key": "a"})
        with pytest.raises(RunBusyError, match="another process"):
            LayerWriter(run.folder, manifest(run))
        first.seal({})
    assert [row["key"] for row in write_layer(run, manifest(run), ["a"], rows).rows()] == ["a"]
