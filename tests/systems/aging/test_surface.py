"""What a module shows: public names, parameters, defaults, read by a program of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.aging.surface import PROBE, surface_of
from memgauge.systems.environments.places import Environment
from memgauge.systems.environments.products import Product

if TYPE_CHECKING:
    from pathlib import Path

MODULE = """
import json, os
from json import dumps
from collections.abc import Mapping
LIMIT = 60
KEPT = {}
_hidden = 1
class Store:
    def __init__(self, path, *, size=10, how=object()): pass
    def put(self, text="x" * 500, *more, **named): pass
    def _own(self): pass
def search(query, k=5): pass
"""


def _probed(folder: Path, code: str, name: str = "shown_here") -> dict[str, object]:
    (folder / f"{name}.py").write_text(code, "utf-8")
    command = [sys.executable, str(PROBE), name, "no-such-package", str(folder / "surface.json")]
    subprocess.run(command, env={"PYTHONPATH": str(folder)}, check=True, capture_output=True)
    read: dict[str, object] = json.loads((folder / "surface.json").read_text("utf-8"))
    return read


def test_names_of_its_own_are_read_with_their_defaults(tmp_path: Path) -> None:
    """What it imports is not its own; objects have no address, long defaults an end."""
    probed = _probed(tmp_path, MODULE)
    assert probed == {
        "python": "",
        "names": {
            "LIMIT": [["=", "60"]],
            "KEPT": [["=", "dict"]],
            "Store": [["path", None], ["size", "10"], ["how", "<object object>"]],
            "Store.put": [["self", None], ["text", f"'{'x' * 119}…"], ["*more", None], ["**named", None]],
            "search": [["query", None], ["k", "5"]],
        },
    }


def test_what_a_module_exports_is_its_own(tmp_path: Path) -> None:
    """Although it comes from elsewhere; what is not exported is not shown, and what cannot be had is left out."""
    lazy = 'def __getattr__(name):\n    raise ImportError("needs more")\n'
    code = f"{MODULE}__all__ = ['dumps', 'LIMIT', 'absent']\n{lazy}"
    names = _probed(tmp_path, code)["names"]
    assert isinstance(names, dict)
    assert sorted(names) == ["LIMIT", "dumps"]


@pytest.mark.parametrize(
    ("module", "said"),
    [("no_such_module_at_all", "ModuleNotFoundError: No module named 'no_such_module_at_all'"), ("this", "")],
)
def test_what_does_not_import_is_said_in_its_own_words(module: str, said: str, tmp_path: Path) -> None:
    """The last line that Python prints, and no traceback; one that imports is read."""
    product = Product("gadget", "A gadget.", "a:B", module, packages=("pip==1",))
    made = Environment("gadget", "1", "3", "x", folder=str(tmp_path))
    if not said:
        assert "d" in surface_of(product, made).names
        return
    with pytest.raises(ConfigError) as caught:
        surface_of(product, made)
    assert str(caught.value) == said
