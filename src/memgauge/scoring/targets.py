"""Which memories of a run a target credits, whatever they descend from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Target
from memgauge.records.contracts import RULE, credits_form
from memgauge.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from memgauge.runs.record.store import Columns, Run

    Rule = Callable[[Columns], NDArray[np.bool_]]

RULES: Registry[Rule] = Registry("target rule", "memgauge.targets", {})
"""Installed targets: a function of the columns of a run's memories that marks those it credits."""


def credited(run: Run, target: Target | str) -> NDArray[np.bool_] | None:
    """(M,) mark the memories of *run* that *target* credits; ``None`` where it credits all of them.

    Raises:
        UnknownNameError: A rule that is not installed.
    """
    return None if target == Target.SOURCE else marked(run, target)


def marked(run: Run, target: Target | str) -> NDArray[np.bool_]:
    """(M,) mark the memories of *run* that *target* credits, be it all of them.

    Raises:
        UnknownNameError: A rule that is not installed.
    """
    if target.startswith(RULE):
        return np.asarray(RULES.get(target.removeprefix(RULE))(run.memories), dtype=np.bool_)
    forms = run.forms
    kinds = [form for form in np.unique(forms.astype(str)).tolist() if credits_form(target, form)]
    return np.asarray(np.isin(forms, kinds), dtype=np.bool_)
