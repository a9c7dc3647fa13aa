"""A product that was invented for tests, in versions that are wheels in a folder: its adapter, its description."""

from __future__ import annotations

import hashlib
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

GADGET = """
import json

__version__ = {version!r}
LIMIT = 60

class Store:
    def __init__(self, size=10): self.kept = []
    def put(self, text): self.kept.append(text)

def rank(texts, words, most=60):
    return sorted(texts, key=lambda text: -len(words & set(text.lower().split())))[:most]
"""
"""The module of the product as its adapter knows it."""

ADAPTER = """
from importlib import import_module
from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt
from memgauge.systems.protocol import Capabilities

class Gadget:
    name = "gadget"
    def __init__(self) -> None:
        self.product = import_module("gadget_made_here")
        self.version = self.product.__version__
        self.product.Store()
        self.reset()
    def capabilities(self):
        return Capabilities(reports_changes=True, declares_sources=getattr(self.product, "SOURCES", True))
    def ingest(self, turns, scope):
        self.kept.setdefault(scope, []).extend(Memory(t.id, t.text, sources=(t.id,)) for t in turns)
        return Receipt(tuple(Change(Operation.ADD, t.id) for t in turns))
    def flush(self, scope, timeout_s): pass
    def search(self, query, scope, k, as_of=None):
        kept = {m.text: m for m in reversed(self.kept.get(scope, []))}
        texts = self.product.rank(list(kept), set(query.lower().split()))
        return Ranking(tuple(Hit(kept[text]) for text in texts[:k] if text in kept))
    def dump(self, scope): return iter(self.kept.get(scope, []))
    def reset(self): self.kept = {}
"""


def wheel(folder: Path, version: str, code: str = GADGET, requires: str = "") -> str:
    """Make a wheel of the product in a version, and return its hash."""
    folder.mkdir(exist_ok=True)
    info = f"gadget_made_here-{version}.dist-info"
    path = folder / f"gadget_made_here-{version}-py3-none-any.whl"
    about = f"Metadata-Version: 2.1\nName: gadget-made-here\nVersion: {version}\n{requires}"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("gadget_made_here.py", code.replace("{version!r}", repr(version)))
        made.writestr(f"{info}/METADATA", about)
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def described(folder: Path, more: str = "") -> Path:
    """Describe the product in version 1.0, which becomes a wheel of *folder*; return the file."""
    sha256 = wheel(folder / "wheels", "1.0")
    (folder / "aging_gadget.py").write_text(ADAPTER, encoding="utf-8")
    (folder / "lock-2026-11-21.txt").write_text(
        f"gadget-made-here==1.0 \\\n    --hash=sha256:{sha256}\n", encoding="utf-8"
    )
    description = folder / "gadget.toml"
    description.write_text(
        'summary = "A \\"gadget\\"."\nadapter = "aging_gadget:Gadget"\nmodule = "gadget_made_here"\n'
        'packages = ["gadget-made-here==1.0"]\nlock = "lock-2026-11-21.txt"\n'
        f'{more}\n[switches]\nGADGET_HOME = "{{folder}}"\n',
        encoding="utf-8",
    )
    return description
