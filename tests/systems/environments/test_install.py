"""An environment is made whole or not at all, from wheels that the test makes itself."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.records import Scope, Turn
from memgauge.systems.catalogue import describe_system, open_system
from memgauge.systems.conformance import check
from memgauge.systems.environments import places
from memgauge.systems.environments.install import _alone, _npm, install, remove
from memgauge.systems.environments.places import environment_of, folder_of, home
from memgauge.systems.environments.products import read_product
from memgauge.systems.environments.programs import require_programs
from memgauge.systems.environments.pythons import find_python, fits, version_of
from memgauge.systems.loading import source_hash

if TYPE_CHECKING:
    from memgauge.systems.environments.products import Product

ADAPTER = """
from importlib import import_module
from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt
from memgauge.systems.protocol import Capabilities

class Gadget:
    name = "gadget"
    def __init__(self, *, loud: bool = False) -> None:
        self.version = import_module("gadget_made_here").__version__
        self.reset()
    def capabilities(self): return Capabilities(reports_changes=True, declares_sources=True)
    def ingest(self, turns, scope):
        self.kept.setdefault(scope, []).extend(Memory(t.id, t.text, sources=(t.id,)) for t in turns)
        return Receipt(tuple(Change(Operation.ADD, t.id) for t in turns))
    def flush(self, scope, timeout_s): pass
    def search(self, query, scope, k, as_of=None):
        words = set(query.lower().split())
        ranked = sorted(self.kept.get(scope, []), key=lambda m: -len(words & set(m.text.lower().split())))
        return Ranking(tuple(Hit(m) for m in ranked[:k]))
    def dump(self, scope): return iter(self.kept.get(scope, []))
    def reset(self): self.kept = {}
"""


def wheel(folder: Path, code: str = "__version__ = '1.0'\n") -> str:
    """Make a wheel of one module, and return its hash."""
    info = "gadget_made_here-1.0.dist-info"
    path = folder / "gadget_made_here-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("gadget_made_here.py", code)
        made.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: gadget-made-here\nVersion: 1.0\n")
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def described(folder: Path, sha256: str, more: str = "") -> Product:
    """Describe the gadget, locked to a hash."""
    (folder / "gadgets_adapter.py").write_text(ADAPTER, encoding="utf-8")
    (folder / "lock.txt").write_text(f"gadget-made-here==1.0 --hash=sha256:{sha256}\n", encoding="utf-8")
    (folder / "gadget.toml").write_text(
        'summary = "A gadget."\nadapter = "gadgets_adapter:Gadget"\nmodule = "gadget_made_here"\n'
        f'packages = ["gadget-made-here==1.0"]\nlock = "lock.txt"\n{more}',
        encoding="utf-8",
    )
    return read_product(folder / "gadget.toml")


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install into a folder of the test, from a folder of the test."""
    (tmp_path / "wheels").mkdir()
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return tmp_path


def test_a_product_is_installed_opened_and_removed(own_home: Path) -> None:
    """From a file to a system in its own environment; a second installation changes nothing."""
    one = described(own_home, wheel(own_home / "wheels"))
    ref = str(own_home / "gadget.toml")
    with pytest.raises(MissingExtraError, match=r"gadget is not installed\. Run `memgauge systems install"):
        open_system(ref)
    assert "memgauge systems install" in describe_system(ref).unavailable
    steps: list[str] = []
    made = install(one, say=steps.append)
    assert steps == ["making an environment", "installing gadget-made-here==1.0", "importing it"]
    assert (made.version, made.packages["gadget-made-here"]) == ("1.0", "1.0")
    assert made.lock.read_text("utf-8") == "gadget-made-here==1.0\n"
    assert install(one) == made
    assert describe_system(ref).installed == "1.0"

    system = open_system(f"{ref}:loud=true")
    assert (system.name, system.version) == ("gadget", "1.0")
    assert source_hash(ref, system)
    system.ingest([Turn("t1", "Ada", "The key is below the stone.", "s")], Scope("ada"))
    assert [hit.memory.id for hit in system.search("Where is the key?", Scope("ada"), 5).hits] == ["t1"]
    system.close()  # type: ignore[attr-defined] # every worker can be closed
    for wrong, said in (
        ("quiet=1", "Unknown parameter"),
        ("where=moon", "no place"),
        ("network=lan", "no network"),
    ):
        with pytest.raises(ConfigError if "no " in said else Exception, match=said):
            open_system(f"{ref}:{wrong}")
    assert remove(one)
    assert not remove(one)
    assert environment_of(one) is None


@pytest.mark.slow  # what is served by another Python conforms in tests/systems/wire, in every test run
def test_a_product_that_is_installed_conforms(own_home: Path) -> None:
    """Every promise is kept from its own environment too."""
    install(described(own_home, wheel(own_home / "wheels")))
    assert check(lambda: open_system(str(own_home / "gadget.toml"))).broken == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sha256", "code", "said"),
    [
        ("0" * 64, "__version__ = '1.0'\n", "pip cannot install it"),
        ("", "raise RuntimeError('no GPU')\n", "it cannot be imported: RuntimeError: no GPU"),
    ],
)
def test_what_fails_leaves_nothing(own_home: Path, sha256: str, code: str, said: str) -> None:
    """Another hash than the lock's, or a package that cannot be imported: a sentence, a log, no folder."""
    found = wheel(own_home / "wheels", code)
    one = described(own_home, sha256 or found)
    with pytest.raises(ConfigError, match=said) as caught:
        install(one)
    assert "gadget.log" in str(caught.value)
    assert (home() / "systems" / "gadget.log").read_text("utf-8")
    assert not folder_of(one).exists()


@pytest.mark.slow
def test_an_interrupted_installation_is_none(own_home: Path) -> None:
    """A process killed in the middle leaves a folder that is no environment; the next attempt makes it anew."""
    one = described(own_home, wheel(own_home / "wheels"))
    code = (
        "from pathlib import Path; from memgauge.systems.environments.products import read_product; "
        "from memgauge.systems.environments.install import install; "
        f"install(read_product(Path({str(own_home / 'gadget.toml')!r})))"
    )
    running = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    until = time.monotonic() + 60
    while not (folder_of(one) / "pyvenv.cfg").exists() and time.monotonic() < until:
        time.sleep(0.01)
    with pytest.raises(ConfigError, match="gadget is being installed by another process"):
        install(one)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert folder_of(one).exists()
    assert environment_of(one) is None
    assert install(one).version == "1.0"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": "0.9"}, "gadget 0.9 is installed, not 1.0"),
        ({"lock_sha256": "x"}, "was installed from another lock than lock.txt"),
        ({"odd": 1}, "cannot be read"),
        ({}, "The Python of .* is gone"),
    ],
)
def test_an_environment_that_cannot_be_used_says_why(own_home: Path, change: dict[str, object], said: str) -> None:
    """Another version, another lock, a broken file, a Python that is gone: each with its remedy."""
    one = described(own_home, "0" * 64)
    folder_of(one).mkdir(parents=True)
    told = {"product": "gadget", "version": "1.0", "python": "3.11.7", "lock_sha256": places.pins_sha256(one)}
    (folder_of(one) / places.FILE).write_text(json.dumps(told | change), encoding="utf-8")
    with pytest.raises(ConfigError, match=said) as caught:
        environment_of(one)
    assert "memgauge systems install gadget" in str(caught.value)
    assert describe_system(str(own_home / "gadget.toml")).unavailable == str(caught.value)


def test_an_environment_for_a_checkout_may_be_named_after_its_first_package(own_home: Path) -> None:
    """Such were those that were made before a product could say its own version; its packages are the same."""
    one = described(own_home, "0" * 64, 'version = "abc1234"\n')
    python = folder_of(one) / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    for version in ("abc1234", "1.0"):
        told = {
            "product": "gadget",
            "version": version,
            "python": "3.11.7",
            "lock_sha256": places.pins_sha256(one),
        }
        (folder_of(one) / places.FILE).write_text(json.dumps(told), encoding="utf-8")
        found = environment_of(one)
        assert found is not None
        assert found.version == version


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy is another home."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "file"))
    one = described(tmp_path, "0" * 64)
    with pytest.raises(ConfigError, match="Set MEMGAUGE_HOME"):
        install(one)
    monkeypatch.delenv("MEMGAUGE_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert home() == Path("/data/memgauge")


def test_a_lock_that_is_absent_is_named(own_home: Path) -> None:
    """A description that names a lock which is not there is not installed without one, and nothing is begun."""
    one = described(own_home, wheel(own_home / "wheels"))
    (own_home / "lock.txt").unlink()
    steps: list[str] = []
    with pytest.raises(ConfigError, match=r"its lock .* is absent"):
        install(one, say=steps.append)
    assert steps == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('python = ">=3.99"\n', r"gadget needs Python >=3.99; there is .*3\."),
        (
            'programs = ["no-such-program>=2"]\n',
            "gadget needs no-such-program>=2, and there is no no-such-program",
        ),
        ('programs = ["node>=999"]\n', "gadget needs node>=999; .*node is"),
    ],
)
def test_what_is_absent_is_named_before_anything_is_made(own_home: Path, more: str, said: str) -> None:
    """A Python or a program that is not there, or too old."""
    with pytest.raises(MissingExtraError, match=said):
        install(described(own_home, "0" * 64, more))
    assert not home().exists()


def test_a_python_can_be_named(own_home: Path) -> None:
    """It must run, and fit."""
    one = described(own_home, "0" * 64, 'python = ">=3.99"\n')
    with pytest.raises(MissingExtraError, match="is 3"):
        install(one, python=sys.executable)
    with pytest.raises(ConfigError, match="does not run"):
        install(one, python="/no/python")


@pytest.mark.parametrize(
    ("version", "wanted", "good"),
    [
        ((3, 11, 7), ">=3.11", True),
        ((3, 11, 7), ">=3.11,<3.14", True),
        ((3, 14, 0), ">=3.11,<3.14", False),
        ((3, 11, 7), "==3.11", True),
        ((3, 12, 1), "!=3.12", False),
        ((3, 12, 1), ">3.11,<=3.12", True),
        ((20, 20, 2), ">=20", True),
    ],
)
def test_versions_and_bounds(version: tuple[int, ...], wanted: str, good: bool) -> None:
    """A bound is as fine as it is written."""
    assert fits(version, wanted) is good


def test_a_bound_that_is_none_is_named() -> None:
    """It is a mistake of the product's file."""
    with pytest.raises(ConfigError, match="'~=3' in '~=3' is no bound"):
        fits((3, 11), "~=3")


def test_this_python_is_taken_where_it_fits() -> None:
    """Others are looked for only where it does not."""
    _, version = find_python(">=3.11", "x")
    assert version.startswith(".".join(map(str, sys.version_info[:2])))
    assert version_of("/no/python") == ""


def test_programs_that_are_there_are_enough(own_home: Path) -> None:
    """A program with a version that fits, and one of which no version is asked; only what is absent is named."""
    require_programs(described(own_home, "0" * 64, 'programs = ["node>=1", "sh"]\n'))
    with pytest.raises(MissingExtraError, match="there is no no-such-program on the path"):
        require_programs(described(own_home, "0" * 64, 'programs = ["node>=1", "sh", "no-such-program"]\n'))


def test_npm_packages_are_installed_as_their_lock_says(own_home: Path) -> None:
    """With a lock the lock, its scripts not run; without one the pins."""
    one = described(own_home, "0" * 64, 'node = ["@a/b@2.0"]\n')
    folder = own_home / "environment"
    folder.mkdir()
    assert _npm(one, folder)[:2] == ["npm", "install"]
    assert "@a/b@2.0" in _npm(one, folder)
    wanted = {"dependencies": {"@a/b": "2.0"}}
    (own_home / "lock.json").write_text(json.dumps({"packages": {"": wanted}}), encoding="utf-8")
    locked = replace(one, lock="lock.json")
    assert _npm(locked, folder) == [
        *("npm", "ci", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts")
    ]
    assert json.loads((folder / "package.json").read_text("utf-8")) == wanted
    assert (folder / "package-lock.json").exists()


@pytest.fixture
def widget(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Product:
    """Describe a program for Node, packed here and locked to its hash, so that npm needs no network."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not here")
    monkeypatch.setenv("NPM_CONFIG_OFFLINE", "true")
    monkeypatch.setenv("NPM_CONFIG_USERCONFIG", os.devnull)
    monkeypatch.setenv("NPM_CONFIG_CACHE", str(own_home / "npm"))
    about = json.dumps({"name": "widget", "version": "2.0.0", "bin": {"widget": "widget.js"}}).encode()
    with tarfile.open(own_home / "widget.tgz", "w:gz") as packed:
        for name, content in (("package.json", about), ("widget.js", b"#!/usr/bin/env node\n")):
            member = tarfile.TarInfo(f"package/{name}")
            member.size, member.mode = len(content), 0o755
            packed.addfile(member, io.BytesIO(content))
    place = f"file:{own_home}/widget.tgz"
    hashed = base64.b64encode(hashlib.sha512((own_home / "widget.tgz").read_bytes()).digest()).decode()
    one = {"version": "2.0.0", "resolved": place, "integrity": f"sha512-{hashed}", "bin": {"widget": "widget.js"}}
    locked = {"": {"dependencies": {"widget": place}}, "node_modules/widget": one}
    (own_home / "lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": locked}), encoding="utf-8")
    (own_home / "widget.toml").write_text(
        'summary = "A widget."\nadapter = "widgets:Widget"\nmodule = ""\nnode = ["widget@2.0.0"]\n'
        'lock = "lock.json"\n',
        encoding="utf-8",
    )
    return read_product(own_home / "widget.toml")


def test_npm_installs_what_the_lock_holds(own_home: Path, widget: Product) -> None:
    """The program is there, and what npm installed is written down; with another content nothing is."""
    made = install(widget)
    assert (made.version, made.packages) == ("2.0.0", {"widget": "2.0.0"})
    assert made.lock.read_text("utf-8") == "widget==2.0.0\n"
    assert (folder_of(widget) / "node_modules" / ".bin" / "widget").exists()
    lock = own_home / "lock.json"
    lock.write_text(lock.read_text("utf-8").replace("sha512-", "sha512-x"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"was installed from another lock than lock.json"):
        environment_of(widget)
    with pytest.raises(ConfigError, match="npm cannot install it"):
        install(widget)
    assert not folder_of(widget).exists()


def test_a_lock_of_npm_that_is_absent_is_named(own_home: Path) -> None:
    """It is told as for pip, and npm is not asked."""
    one = replace(described(own_home, "0" * 64, 'node = ["a@1"]\n'), packages=(), lock="none.json")
    with pytest.raises(ConfigError, match=r"its lock .*none.json is absent"):
        install(one)


def test_a_product_without_packages_is_served_by_this_python(own_home: Path) -> None:
    """It has a folder, what was installed into it is written down, and a worker serves its adapter."""
    (own_home / "own_adapter.py").write_text(
        "from memgauge.systems.policies.plain import Recency\nclass Own(Recency):\n    name = 'own'\n", "utf-8"
    )
    description = own_home / "own.toml"
    description.write_text('summary = "Mine."\nadapter = "own_adapter:Own"\nmodule = ""\n', encoding="utf-8")
    made = install(read_product(description))
    assert made.interpreter == sys.executable
    assert (made.packages, made.lock.read_text("utf-8")) == ({}, "\n")
    system = open_system(f"{description}:fresh=false,network=any")
    assert system.name == "own"
    system.close()  # type: ignore[attr-defined] # every worker can be closed


def test_a_product_that_lives_here_is_opened_here(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the version that its file names; in another it is not taken."""
    monkeypatch.chdir(own_home)
    monkeypatch.syspath_prepend(own_home)
    (own_home / "here_adapter.py").write_text(
        "from memgauge.systems.policies.plain import Recency\nclass Here(Recency):\n    name = 'here'\n", "utf-8"
    )
    description = own_home / "here.toml"

    def described_as(module: str, package: str) -> str:
        text = f'summary = "Mine."\nadapter = "here_adapter:Here"\nmodule = "{module}"\npackages = ["{package}"]\n'
        description.write_text(text, encoding="utf-8")
        return str(description)

    system = open_system(described_as("pytest", f"pytest=={pytest.__version__}"))
    assert type(system).__name__ == "Here"
    assert describe_system(str(description)).installed == pytest.__version__
    for module, package in (("pytest", "pytest==0.1"), ("json", "no-such-thing==1"), ("no.such", "pytest==1")):
        with pytest.raises(MissingExtraError, match="is not installed"):
            open_system(described_as(module, package))
    assert type(open_system(f"{description}:where=process")).__name__ == "Here"


def test_an_installation_that_is_interrupted_by_hand_leaves_nothing(own_home: Path) -> None:
    """Ctrl-C in the middle of a step."""
    one = described(own_home, "0" * 64)

    def interrupt(_: str) -> None:
        folder_of(one).mkdir()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(one, say=interrupt)
    assert not folder_of(one).exists()


def test_nothing_is_installed_twice_at_once(own_home: Path) -> None:
    """While somebody else holds the folder, the second is told so."""
    one = described(own_home, "0" * 64)
    with _alone(folder_of(one)), pytest.raises(ConfigError, match="is being installed by another process"):
        install(one)
