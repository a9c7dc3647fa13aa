"""What holds for every test: no network, reproducible examples, own caches, little tracing.

A tracer doubles what every line of Python costs, and what starting a process costs. So the first examples of a
property are traced and not all of them, and processes where a test is about processes.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import ipaddress
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import rich.console  # now: it keeps the environment of the moment in which it is imported
from cyclopts import App
from cyclopts.argument import _collection
from hypothesis import settings

from memgauge.datasets.folders import CONFORMANCE
from memgauge.show import figures
from support import sharing
from support.browser import CHROMIUM, QUIET
from support.cli import Said
from support.drawings import checked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from cyclopts import Group, Parameter
    from playwright.sync_api import Browser

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Every worker has a core of its own at best, and hundreds of short processes need not start threads for numpy."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs tests in the background ignores Ctrl-C for them, and programs that they start inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore_glob = ["*.memsuite.yaml"]
"""Suites among the tests are material: our own pytest plugin would run them against a memory that nobody named."""

EXAMPLES = 40
"""So many examples of a property are quick; `make test-slow` tries a hundred of each."""

for examples, name in ((EXAMPLES, "quick"), (100, "whole")):
    ci = bool(os.environ.get("CI"))
    settings.register_profile(name, max_examples=examples, deadline=None, derandomize=ci, print_blob=ci)
settings.load_profile("quick")


def _stays_here(family: int, address: object) -> bool:
    """Say whether *address* is on this machine."""
    if family not in {socket.AF_INET, socket.AF_INET6}:
        return family == getattr(socket, "AF_UNIX", None)
    host = str(address[0]) if isinstance(address, tuple) else ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _guarded(connect: Callable[[socket.socket, Any], Any]) -> Callable[[socket.socket, Any], Any]:
    def guard(self: socket.socket, address: object) -> object:
        if not _stays_here(self.family, address):
            pytest.fail(f"a test tried to reach {address!r}; tests stay on this machine", pytrace=True)
        return connect(self, address)

    return guard


@pytest.fixture(scope="session", autouse=True)
def instrument_under_test(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Prepare this process for all its tests, in one fixture: each automatic one is looked up for every test."""
    with pytest.MonkeyPatch.context() as patch:
        _no_network(patch)
        _own_cache(patch, tmp_path_factory)
        _power_never_fails(patch)
        _wide_output(patch)
        _terminal_measured_anew(patch)
        _groups_of_options_found_once(patch)
        _drawings_by_the_schema(patch)
        _shipped_suites_read_once(patch)
        _tables_read_once(patch)
        _pythons_asked_once(patch)
        yield


def _no_network(patch: pytest.MonkeyPatch) -> None:
    """Let sockets reach this machine only."""
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))


def _own_cache(patch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep caches of this test run apart from the user's, in this process and in those it starts.

    What the conformance check found of a system is looked up by all workers: each need not find it again.
    """
    cache, shared = tmp_path_factory.mktemp("cache"), sharing.root(tmp_path_factory) / CONFORMANCE
    shared.mkdir(exist_ok=True)
    (cache / CONFORMANCE).symlink_to(shared)
    patch.setenv("MEMGAUGE_CACHE", str(cache))


def _power_never_fails(patch: pytest.MonkeyPatch) -> None:
    """Wait for no disk in this process: a file reads the same before it is on one, and nothing cuts power."""
    patch.setattr(os, "fsync", os.fstat)  # which refuses what is no open file, too


def _wide_output(patch: pytest.MonkeyPatch) -> None:
    """Let commands print 120 columns, so that sentences can be looked for; tests of the width name their own."""
    patch.setenv("COLUMNS", "120")


def _terminal_measured_anew(patch: pytest.MonkeyPatch) -> None:
    """Let each command measure its terminal: an app keeps its first console, and thousands run here."""

    def own(name: str, *, stderr: bool) -> property:
        return property(lambda app: app.app_stack.resolve(name) or rich.console.Console(stderr=stderr))

    patch.setattr(App, "console", own("_console", stderr=False))
    patch.setattr(App, "error_console", own("_error_console", stderr=True))


def _groups_of_options_found_once(patch: pytest.MonkeyPatch) -> None:
    """Remember in which groups the options of a command stand; at every call it takes a quarter of the reading."""
    find = _collection._resolve_groups_from_callable
    known: dict[tuple[object, ...], list[Group]] = {}

    def groups(command: Callable[..., Any], *defaults: Parameter | None, **of_the_app: Any) -> list[Group]:
        key = (command, *of_the_app.values())
        if key not in known:
            known[key] = find(command, *defaults, **of_the_app)
        return list(known[key])

    patch.setattr(_collection, "_resolve_groups_from_callable", groups)


def _drawings_by_the_schema(patch: pytest.MonkeyPatch) -> None:
    """Refuse to draw what is no Vega-Lite."""
    patch.setattr(figures, "_rendered", checked(figures._rendered))


def _shipped_suites_read_once(patch: pytest.MonkeyPatch) -> None:
    """Remember the suites of the package, which take two seconds to read; all others are read each time."""
    from memgauge.studies.golden import loading
    from memgauge.suites import paths
    from support.golden import read_once

    read, shipped = loading.load_suite, frozenset(paths())

    def load(path: Path) -> loading.Loaded:
        return read_once(path) if path in shipped else read(path)

    patch.setattr(loading, "load_suite", load)


def _tables_read_once(patch: pytest.MonkeyPatch) -> None:
    """Remember what the database says of small tables with the same bytes: half of what tests take."""
    from support import tables

    tables.remember(patch)


def _pythons_asked_once(patch: pytest.MonkeyPatch) -> None:
    """Remember what each Python of this machine says of its version: up to thirteen are asked, in processes."""
    from memgauge.systems.environments import pythons

    ask = functools.cache(lambda path, _changed: ask_now(path))
    ask_now = pythons.version_of

    def version_of(path: str) -> str:
        file = Path(path)
        changed = file.stat().st_mtime_ns if file.exists() else 0
        version: str = ask(path, changed)
        return version

    patch.setattr(pythons, "version_of", version_of)


@pytest.fixture
def memgauge(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Call the command line in this process."""
    from memgauge.cli import invoke

    def call(*arguments: object) -> Said:
        code = invoke([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Open headless Chromium, or skip with a sentence that says what is missing."""
    if not CHROMIUM.exists():
        pytest.skip(f"needs Chromium at {CHROMIUM} (Debian package chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Look for no garbage while eleven thousand tests are collected, which stay: it takes a sixth of that time."""
    gc.disable()


SPARSE = 20_000
"""After so many new objects garbage is looked for: tests make few cycles, and looking took 3 % of their time."""


def pytest_collection_finish() -> None:
    """Hide what was collected from the garbage collector: it stays, and a look through it takes half a second."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(SPARSE)


ROOMS_OF_PLAYERS = ("runs/play", "faults", "systems", "hostile", "products", "models")
"""Where players are what is tested. Elsewhere a test that needs them is marked `players`, and commands play here:
a player takes half a second to start, and returns the same bytes, as tests/runs/play proves."""
PLAYED_BY = ("memgauge.runs.play.executors.processes", "memgauge.runs.play.plan")


@functools.cache
def _room(folder: Path) -> str:
    """Name the room of a folder of tests."""
    return folder.relative_to(Path(__file__).parent).as_posix()


def _wants_players(item: pytest.Item, room: str) -> bool:
    return room.startswith(ROOMS_OF_PLAYERS) or item.get_closest_marker("players") is not None


@contextlib.contextmanager
def _played_here() -> Iterator[None]:
    """Let commands look at memories and play in this process."""
    from memgauge.runs.play.player.describing import describe
    from support.players import TroupeHere

    with pytest.MonkeyPatch.context() as patch:
        for module in PLAYED_BY:
            patch.setattr(importlib.import_module(module), "Troupe", TroupeHere)
        patch.setattr("memgauge.runs.play.plan._elsewhere", describe)
        yield


TRACED_EXAMPLES = 20
"""So many of one property are traced; the others of a hundred run the same lines."""
CHILDREN = "COVERAGE_PROCESS_CONFIG"
"""By this variable a process knows that it is to be measured."""
ROOMS_OF_PROCESSES = (
    "runs/play/player",
    "systems/wire",
    "systems/mcp",
    "studies/track/sandbox",
    "studies/track/tools",
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let processes that a test starts be measured in rooms that are about processes, and play here elsewhere."""
    measured = os.environ.pop(CHILDREN, None)
    room = _room(item.path.parent)
    if measured and room.startswith(ROOMS_OF_PROCESSES):
        os.environ[CHILDREN] = measured
    try:
        with contextlib.nullcontext() if _wants_players(item, room) else _played_here():
            return (yield)
    finally:
        if measured:
            os.environ[CHILDREN] = measured


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Trace the first examples of a property, and neither the others nor how they are made up."""
    tracer, tested = sys.gettrace(), getattr(pyfuncitem.obj, "hypothesis", None)
    if tracer is None or tested is None:
        return (yield)
    inner = tested.inner_test
    left = iter(range(TRACED_EXAMPLES))

    @functools.wraps(inner)
    def example(*arguments: Any, **named: Any) -> object:
        if next(left, None) is None:
            return inner(*arguments, **named)
        sys.settrace(tracer)
        try:
            return inner(*arguments, **named)
        finally:
            sys.settrace(None)

    tested.inner_test = example
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
        tested.inner_test = inner
