"""A small suite for tests: every way in which a scenario can end, on memories that everybody has."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden import loading
from memgauge.suites import paths

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.golden.loading import Loaded
    from memgauge.studies.golden.scenario import Scenario

GOOD = """\
schema: 1
suite: {id: small, version: 1.0.0}
scenarios:
- id: persistence.next
  title: a fact is there in the next session
  family: persistence
  steps:
  - say: "My dentist is {dentist}."
    sets: {dentist: dentist}
  - session: later
  - ask: "Who is my dentist?"
    about: dentist
- id: mutation.deadline
  title: a correction replaces what it corrects
  family: mutation
  tags: [rare]
  severity: critical
  provenance: {kind: public-issue, ref: "mem0ai/mem0#4957"}
  vars: {old: date, new: date}
  steps:
  - say: "My deadline is {old}."
    sets: {deadline: old}
  - say: "My deadline is now {new}."
    sets: {deadline: new}
  - ask: "When is my deadline?"
    about: deadline
  - ask: "What is my deadline?"
    about: deadline
- id: mutation.soft
  title: the same with a soft gate
  family: mutation
  gate: soft
  steps:
  - say: "My bank is {old}."
    sets: {bank: old}
  - say: "My bank is now {new}."
    sets: {bank: new}
  - ask: "What is my bank?"
    about: bank
- id: mutation.known
  title: the same, and known
  family: mutation
  expected_failure: {issue: "our-memory#7"}
  steps:
  - say: "My gym is {old}."
    sets: {gym: old}
  - say: "My gym is now {new}."
    sets: {gym: new}
  - ask: "What is my gym?"
    about: gym
- id: durability.restart
  title: a fact is there after a restart
  family: persistence
  steps:
  - say: "My editor is {editor}."
    sets: {editor: editor}
  - restart: process
  - ask: "What is my editor?"
    about: editor
- id: isolation.other
  title: nobody else is shown a fact
  family: isolation
  steps:
  - say: "My locker is {locker}."
    sets: {locker: locker}
  - ask: "What is my locker?"
    about: locker
  - user: bob
  - probe: ["What is my locker?", locker, bob, "*"]
"""
VACUOUS = """\
- id: isolation.vacuous
  title: nothing that should come back is ever asked for
  family: isolation
  steps:
  - say: "My locker is {locker}."
    sets: {locker: locker}
  - user: bob
  - probe: ["What is my locker?"]
"""
BROKEN = """\
- id: broken.step
  title: a step that does not exist
  family: persistence
  steps:
  - sing: "My dentist is {dentist}."
  - ask: "Who is my dentist?"
    about: dentist
"""
MEMORIES = '''\
"""Memories that do what a memory must not."""

import os
import time

from memgauge.systems.policies.lexical import Bm25Policy


def hangs_on_opening():
    time.sleep(3600)


def cannot_be_reached():
    raise ConnectionError("\\x1b[31mno server at port 9\\x1b[0m")


def ends_on_opening():
    os._exit(0)


class Dies(Bm25Policy):
    """Ends its process when somebody asks about a deadline."""

    def search(self, query, scope, k, as_of=None):
        if "deadline" in query:
            os._exit(3)
        return super().search(query, scope, k, as_of)


class Hostile(Bm25Policy):
    """Raises what nobody should print."""

    def search(self, query, scope, k, as_of=None):
        raise ValueError("<script>alert(1)</script> \\x1b[2J \\u202e | `x`")
'''


read_once = cache(loading.load_suite)
"""Reads a suite once in a process: those that are shipped take two seconds."""


@cache
def shipped() -> tuple[Loaded, ...]:
    """Read the suites that are shipped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "load_suite", read_once)
        return tuple(loading.load_suites(paths()))


@cache
def shipped_scenarios() -> tuple[Scenario, ...]:
    """Return every scenario that is shipped."""
    return tuple(scenario for each in shipped() for scenario in each.suite.scenarios)


def write_suite(folder: Path, text: str = GOOD, name: str = "small") -> Path:
    """Write a suite file."""
    path = folder / f"{name}.memsuite.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def loaded(folder: Path, text: str = GOOD) -> list[Loaded]:
    """Write and read a suite."""
    return loading.load_suites([write_suite(folder, text)])
