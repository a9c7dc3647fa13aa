"""What runs say of themselves that a sheet has to say too: nobody types what is known."""

from __future__ import annotations

import inspect
import re
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.registry import parse_ref
from memgauge.runs.record.store import load
from memgauge.systems.catalogue import SYSTEMS
from memgauge.systems.environments.products import product_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.submissions.repository import Repository
    from memgauge.submissions.sheets.registry import ContractSheet, LaneSheet, ProductSheet

_WEIGHTS: Final = re.compile(r"^[\w. -]+ \(weights (?P<digest>[0-9a-f]{8,64})")
_SAME: Final = ("system.ref", "system.version", "limits", "stream")


def runs_of_one(folders: Iterable[Path]) -> tuple[Run, ...]:
    """Load the runs of a submission, ordered by dataset and seed.

    Raises:
        ConfigError: There are none, or they are not of one system under one setting, or one occurs twice.
    """
    runs = sorted(map(load, folders), key=lambda run: (run.manifest.dataset.ref, run.manifest.seed, run.folder))
    if not runs:
        raise ConfigError("Nothing to pack: no run was named.", "Name run folders, such as runs/mine-*.")
    first = runs[0]
    for run in runs[1:]:
        differing = [name for name in _SAME if attrgetter(name)(run.manifest) != attrgetter(name)(first.manifest)]
        if differing:
            raise ConfigError(
                f"{run.folder.name} and {first.folder.name} differ in {', '.join(differing)}: a submission is one "
                "system under one setting.",
                "Pack each by itself.",
            )
    identities = [run.manifest.identity for run in runs]
    twice = next((run for run in runs if identities.count(run.manifest.identity) > 1), None)
    if twice is not None:
        raise ConfigError(
            f"{twice.folder.name} is named twice, or two folders hold the same run.", "Name each run once."
        )
    return tuple(runs)


def lane_of(run: Run, repository: Repository) -> LaneSheet:
    """Find the lane of a run: a stand-in, local weights, or no model at all.

    Raises:
        ConfigError: No registered lane is like it.
    """
    promises = run.manifest.system.capabilities
    stand_ins = list(promises.get("stand_ins") or ())
    older = [text for text in promises.get("interventions") or () if "stand-in" in str(text)]
    digests = weights_of(promises.get("models") or ())
    for lane in repository.lanes.values():
        if (stand_ins or older) and lane.kind == "scripted":
            return lane
        if not (stand_ins or older) and digests and lane.kind == "local" and _same_weights(digests, lane):
            return lane
        if not (stand_ins or older or promises.get("models")) and lane.kind == "lexical":
            return lane
    models = ", ".join(promises.get("models") or ()) or "no model"
    raise ConfigError(
        f"No registered lane is that of {run.label} ({models}).",
        f"Name one with --lane ({', '.join(repository.lanes)}), or propose a sheet in registry/lanes first.",
    )


def weights_of(models: Sequence[str]) -> frozenset[str]:
    """Read the digests of weights that a system declares, as many digits as it declares."""
    return frozenset(match["digest"] for match in map(_WEIGHTS.match, models) if match)


def _same_weights(digests: Iterable[str], lane: LaneSheet) -> bool:
    """Whether all weights are those of the lane; models are called by more than one name."""
    left = set(lane.weights.values())
    for digest in digests:
        left -= {whole for whole in left if whole.startswith(digest)}
    return not left and len(frozenset(digests)) == len(lane.weights)


def product_sheet_of(run: Run, repository: Repository) -> ProductSheet:
    """Find the product of a run in the registry.

    Raises:
        ConfigError: It is not registered.
    """
    names = (run.manifest.system.name, parse_ref(run.manifest.system.ref).name)
    sheet = next((repository.products[name] for name in names if name in repository.products), None)
    if sheet is None:
        raise ConfigError(
            f"{names[0]!r} is no registered product.",
            f"Add registry/products/{names[0]}.toml in the same pull request, or name one with --product.",
        )
    return sheet


def contract_of(runs: Sequence[Run], repository: Repository) -> ContractSheet:
    """Find the contract of a submission: the one that a board of its dataset uses, at the k of the run.

    Raises:
        ConfigError: None fits.
    """
    k, refs = runs[0].manifest.limits.k, {run.manifest.dataset.ref for run in runs}
    names = {sheet.name for sheet in repository.datasets.values() if sheet.ref in refs}
    used = [board.contract for board in repository.boards.values() if board.dataset in names and board.contract]
    fitting = [name for name in dict.fromkeys(used) if repository.contracts[name].k == k]
    if not fitting:
        known = ", ".join(f"{name} (k={sheet.k})" for name, sheet in repository.contracts.items())
        raise ConfigError(
            f"No board of {', '.join(sorted(refs))} has a contract at k={k}.",
            f"Name one with --contract: {known}.",
        )
    return repository.contracts[fitting[0]]


def version_in_sheet(version: str) -> str:
    """Write a version as a folder can be called."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", version)


def options_of(ref: str) -> dict[str, dict[str, str]]:
    """Write out every option of a system: those that were given, and the defaults of the others where known."""
    parsed = parse_ref(ref)
    given = dict(parsed.params) | ({"variant": parsed.variant} if parsed.variant else {})
    return {
        "options": given,
        "defaults": {key: value for key, value in _defaults(parsed.name).items() if key not in given},
    }


def _defaults(name: str) -> dict[str, str]:
    if name not in SYSTEMS:
        return {}
    product = product_of(name)
    factory = SYSTEMS.get(name) if product is None else None
    if factory is None:
        from memgauge.registry import load_target  # an adapter imports what few commands need

        factory = load_target(product.adapter) if product else None  # type: ignore[assignment] # a callable
    if factory is None:
        return {}
    parameters = inspect.signature(factory).parameters.values()
    return {each.name: str(each.default) for each in parameters if each.default is not inspect.Parameter.empty}
