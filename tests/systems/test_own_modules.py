"""A memory's code is all of its own modules, and nothing of anybody else's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.systems.own_modules import own_modules

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.cli import Said

FILES = {
    "pack/__init__.py": "",
    "pack/memory.py": "from pack import store\nfrom . import ranks as order\nimport numpy, json\n",
    "pack/store.py": "def keep():\n    from .deep import disk\n    import helper\n",
    "pack/ranks.py": "from ..unknown import x\n",
    "pack/deep/__init__.py": "from .disk import write\n",
    "pack/deep/disk.py": "import pack.memory\n",
    "pack/unused.py": "",
    "helper.py": "this is no Python",
    "beside.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a package whose modules import each other in every way."""
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return tmp_path


def test_every_own_module_that_is_imported_counts(root: Path) -> None:
    """Relative, late and circular imports are followed; what nobody imports is not there."""
    files = own_modules("pack.memory", root / "pack" / "memory.py")
    assert files[0] == root / "pack" / "memory.py"
    assert {file.relative_to(root).as_posix() for file in files} == FILES.keys() - {"pack/unused.py", "beside.py"}
    assert own_modules("beside", root / "beside.py") == [root / "beside.py"]


def test_of_what_is_installed_the_file_alone_counts_and_of_python_none() -> None:
    """Their versions tell the rest."""
    assert own_modules("numpy", Path(np.__file__)) == [Path(np.__file__).resolve()]
    assert own_modules("json", Path(json.__file__)) == []


MEMORY = """
from memgauge import Capabilities, Hit, Memory, Ranking, Receipt
import cutting

class Cutting:
    name, version = "cutting", "1"
    def __init__(self): self.reset()
    def reset(self): self.kept = {}
    def capabilities(self): return Capabilities()
    def ingest(self, turns, scope):
        for turn in turns: self.kept.setdefault(scope, []).append(Memory(turn.id, turn.text))
        return Receipt()
    def flush(self, scope, timeout_s): pass
    def dump(self, scope): return list(self.kept.get(scope, []))
    def search(self, query, scope, k, as_of=None):
        return Ranking(tuple(map(Hit, cutting.cut(self.dump(scope), k))))
"""


def test_a_module_that_changed_makes_another_run(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yesterday's run is kept under yesterday's code, and a run that is there says that it was not played."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "cutter.py").write_text(MEMORY, "utf-8")
    (tmp_path / "cutting.py").write_text("def cut(memories, k): return memories[:k]\n", "utf-8")
    command = ("run", "-d", "synthetic:tiny", "-s", "cutter:Cutting", "--conversations", "1", "--out", "runs")
    first, again = (memgauge(*command, "--json").data["runs"][0] for _ in range(2))
    assert (first["was_there"], again["was_there"], first["folder"]) == (False, True, again["folder"])
    assert "(kept, not played again)" in memgauge(*command).out
    (tmp_path / "cutting.py").write_text("def cut(memories, k): return []\n", "utf-8")
    other = memgauge(*command, "--json").data["runs"][0]
    assert not other["was_there"]
    assert other["folder"] != first["folder"]
