"""`memgauge doctor`: what is missing for which feature, and the command that adds it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.frame.console import emit, output, say
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import AsData

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.cli.features import FeatureStatus


def doctor(
    *,
    require: Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)] = (),
    json: AsData = False,
) -> int:
    """Say what is here, what is missing for which feature, and the command that adds it.

    The core needs none of it. Of keys, only whether they are set is looked at. Exits with 0 unless something that
    is required is missing.

    Example: memgauge doctor --require llm

    Parameters
    ----------
    require
        Exit with 1 unless this feature is here; repeat for several.
    json
        Print data instead of text.
    """
    from dataclasses import asdict

    from memgauge.cli.features import findings, wanted

    found = tuple(findings())
    missing = [one for one in (wanted(name, found) for name in dict.fromkeys(require)) if not one.here]
    if json:
        emit({**_about(), "features": [asdict(one) for one in found], "missing": [one.name for one in missing]})
    else:
        _print(found)
        for one in missing:
            _line(f"Required and missing: {one.name}. Add it: {one.add}")
    return FAILED if missing else OK


def _about() -> dict[str, object]:
    import platform
    import sys

    from memgauge.datasets.files import cache_root, search_roots
    from memgauge.systems.environments.places import home
    from memgauge.version import __version__

    return {
        "memgauge": __version__,
        "python": platform.python_version(),
        "interpreter": sys.executable,
        "platform": f"{platform.system()} {platform.machine()}",
        "looks for data in": [str(root) for root in search_roots()],
        "keeps a cache in": str(cache_root()),
        "keeps products in": str(home()),
    }


def _print(found: Sequence[FeatureStatus]) -> None:
    from memgauge.cli.features import ALWAYS

    about = _about()
    _line(
        f"memgauge {about.pop('memgauge')}, Python {about.pop('python')}, {about.pop('platform')}: the core works."
    )
    about.pop("interpreter")
    for name, value in about.items():
        _line(f"It {name} {', '.join(value) if isinstance(value, list) else value}.")
    shown = [one for one in found if one.group != "Keys" or one.here or one.name in ALWAYS]
    width = max(len(one.name) for one in shown)
    for group, members in groupby(shown, key=lambda one: one.group):
        say("")
        say(group)
        for one in members:
            said = f" ({one.found})" if one.found else ""
            _line(f"  {'yes' if one.here else 'no ':3}  {one.name:<{width}}  {one.what}{said}")
            if not one.here:
                _line(f"       {'':<{width}}  $ {one.add}")
    here = sum(one.here for one in shown)
    say("")
    say(f"{here} of {len(shown)} optional features are here. Nothing is installed unless you run a line above.")


def _line(text: str) -> None:
    """Print one line as it is, however long: what is to be copied must not be broken."""
    output().print(text, markup=False, soft_wrap=True)
