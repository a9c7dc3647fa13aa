"""What a product's file may say."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memgauge
from memgauge.errors import ConfigError, UnknownNameError
from memgauge.systems.catalogue import SYSTEMS
from memgauge.systems.environments.adapted import __getattr__ as adapted
from memgauge.systems.environments.products import Product, product, product_names, product_of, read_product
from memgauge.systems.environments.pythons import fits
from memgauge.systems.wire.opening import serving

GOOD = 'summary = "A gadget."\nadapter = "gadgets:Gadget"\nmodule = "gadget"\n'
ROOT = Path(memgauge.__file__).parent


def written(folder: Path, text: str) -> Path:
    """Write the file of a product."""
    (folder / "gadget.toml").write_text(text, encoding="utf-8")
    return folder / "gadget.toml"


@pytest.mark.parametrize("name", product_names())
def test_every_product_of_the_catalogue_is_complete(name: str) -> None:
    """It can be read, is pinned, has its lock, and its adapter is a system."""
    one = product(name)
    assert one.version
    assert all("==" in package for package in one.packages)
    assert one.lock_path is None or one.lock_path.is_file()
    if one.packages:
        assert one.lock_path is not None
        assert fits((3, 11, 7), one.python) or fits((3, 12, 1), one.python) or fits((3, 13, 0), one.python)
    assert callable(SYSTEMS.get(name))


@pytest.mark.parametrize("name", product_names())
def test_a_lock_pins_everything_with_hashes_and_names_no_index(name: str) -> None:
    """Every requirement has a version and a hash, the product's own pins are in it, and no address is."""
    one = product(name)
    if one.lock_path is None or one.lock_path.suffix == ".json":
        return
    text = one.lock_path.read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "--hash"))]
    assert all("==" in line for line in lines), lines[:3]
    assert text.count("--hash=sha256:") >= len(lines)
    assert "://" not in text
    pinned = {line.split(";")[0].split("\\")[0].strip().lower().replace("_", "-") for line in lines}
    wanted = {re.sub(r"\[.*\]", "", package) for package in one.packages}
    assert {one.lower().replace("_", "-") for one in wanted} <= pinned


@pytest.mark.parametrize("name", [name for name in product_names() if product(name).node])
def test_what_npm_installs_is_locked_with_hashes_and_names_no_registry(name: str) -> None:
    """The lock begins with the product's pins, and every package in it has a version and a hash."""
    one = product(name)
    assert one.lock_path is not None
    text = one.lock_path.read_text("utf-8")
    packages = json.loads(text)["packages"]
    assert packages.pop("")["dependencies"] == dict(pin.rpartition("@")[::2] for pin in one.node)
    assert all(package["version"] and package["integrity"] for package in packages.values())
    assert "resolved" not in text


@pytest.fixture(scope="module")
def imported_by_nothing() -> dict[str, str]:
    """Import every adapter by a Python without site-packages; say of each why that failed."""
    python, script, _ = serving(sys.executable)
    code = (
        "import json, os, sys, runpy, importlib\n"
        f"boot = runpy.run_path({script!r}, run_name='boot')\n"
        f"sys.meta_path.insert(0, boot['OnlyMemgauge']({str(ROOT)!r}))\n"
        "began, problems = set(sys.modules), {}\n"
        f"for name, adapter in {[(name, product(name).adapter) for name in product_names()]!r}:\n"
        "    module, _, factory = adapter.partition(':')\n"
        "    try:\n"
        "        assert callable(getattr(importlib.import_module(module), factory))\n"
        "    except BaseException as error:\n"
        "        problems[name] = repr(error)\n"
        "    for own in {key for key in sys.modules if key.startswith('memgauge')} - began:\n"
        "        del sys.modules[own]  # the next finds nothing that this one imported\n"
        "print(json.dumps(problems))\n"
    )
    done = subprocess.run([python, "-S", "-I", "-c", code], check=True, capture_output=True, text=True)
    problems: dict[str, str] = json.loads(done.stdout)
    return problems


@pytest.mark.parametrize("name", product_names())
def test_an_adapter_is_imported_by_a_python_that_has_nothing(
    name: str, imported_by_nothing: dict[str, str]
) -> None:
    """Without site-packages it needs the standard library and memgauge's pure modules alone."""
    assert imported_by_nothing.get(name) is None


def test_a_product_reads_its_name_from_its_file(tmp_path: Path) -> None:
    """The file's name is the product's; its version is its first package's."""
    text = GOOD + 'packages = ["gadget[all]==1.2", "b==3"]\nlock = "gadget-lock.txt"\n[switches]\nA = "1"\n'
    one = read_product(written(tmp_path, text))
    assert (one.name, one.version, one.switches) == ("gadget", "1.2", {"A": "1"})
    assert one.lock_path
    (tmp_path / "gadget-lock.txt").touch()
    assert one.lock_path == tmp_path / "gadget-lock.txt"
    assert Product("x", "", "", "", node=("@a/b@2.0",)).version == "2.0"
    assert Product("x", "", "", "").version == ""
    assert product_of(f"{tmp_path}/gadget.toml:where=worker") == one


def test_what_is_read_from_a_checkout_has_its_own_version(tmp_path: Path) -> None:
    """The packages that a checkout needs are not the product; an environment made of them stays what it is."""
    one = read_product(written(tmp_path, GOOD + 'version = "abc1234"\npackages = ["faiss-cpu==1.2"]\n'))
    assert (one.version, one.pinned) == ("abc1234", "1.2")
    for name, commit in (("memoryos", "1d71706"), ("a-mem", "ceffb86")):
        assert product(name).version == commit


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("summary = 3\n", "summary must be a text in quotes"),
        (GOOD + "packages = 'x'\n", "packages must be a list of texts"),
        (GOOD + "switches = []\n", "switches must be a table of texts"),
        ("summary = 'x'\n", "lacks adapter, module"),
        (GOOD + "network = 'lan'\n", "network is 'lan'"),
        (GOOD + "package = []\n", "Unknown key in .*'package'.*Did you mean packages"),
        ("= 3", "Cannot read"),
    ],
)
def test_a_file_that_does_not_fit_is_named(tmp_path: Path, text: str, said: str) -> None:
    """The key, and what belongs there."""
    with pytest.raises((ConfigError, UnknownNameError), match=said):
        read_product(written(tmp_path, text))


def test_what_is_no_product_is_none(tmp_path: Path) -> None:
    """Other systems and files of systems are not products; names that do not exist are."""
    assert product_of("bm25:k1=2") is None
    assert product_of(str(written(tmp_path, 'system = "bm25"\n'))) is None
    assert product_of(str(tmp_path / "absent.toml")) is None
    with pytest.raises(UnknownNameError, match="Did you mean mem0"):
        product("mem-0")
    with pytest.raises(ConfigError, match="There is no file"):
        product(str(tmp_path / "absent.toml"))
    with pytest.raises(AttributeError):
        adapted("no_such_product")


def test_what_is_served_imports_no_package_of_ours() -> None:
    """The modules of the wire's served side name nothing but the standard library and pure modules."""
    for name in ("messages", "values", "methods", "answering", "guard", "serve", "bootstrap"):
        tree = ast.parse((ROOT / "systems" / "wire" / f"{name}.py").read_text("utf-8"))
        roots = {
            str(node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
        }
        assert roots <= set(sys.stdlib_module_names) | {"memgauge", "__future__"}, name
