"""`memgauge doctor`: what is missing for which feature, and the command that adds it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.frame.exits import FAILED, OK
from memgauge.frame.output import PLAIN, Printing, present

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.cli.features import FeatureStatus


def doctor(
    *,
    require: Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)] = (),
    shown: Printing = PLAIN,
) -> int:
    """Say what is here, what is missing for which feature, and the command that adds it; and what is kept apart.

    The core needs none of it. Of keys, only whether they are set is looked at. Exits with 0 unless something that
    is required is missing.

    Example: memgauge doctor --require llm

    Parameters
    ----------
    require
        Exit with 1 unless this feature is here; repeat for several.
    """
    from dataclasses import asdict

    from memgauge.cli.features import findings, wanted
    from memgauge.cli.isolation import isolation, lines
    from memgauge.results import ReadyData
    from memgauge.show import Code, Document

    features, facts = tuple(findings()), tuple(isolation())
    required = (wanted(name, features) for name in dict.fromkeys(require))
    missing = [feature for feature in required if not feature.here]
    names = [feature.name for feature in missing]
    data = {
        **_about(),
        "features": [asdict(feature) for feature in features],
        "isolation": [asdict(fact) for fact in facts],
        "missing": names,
    }
    lacking = (f"Required and missing: {feature.name}. Add it: {feature.add}" for feature in missing)
    # What is to be copied is shown letter by letter.
    text = Code("\n".join((*_lines(features), "", *lines(facts), *lacking)), brief=True)
    shown_document = Document("", blocks=(text,), data=ReadyData(data))
    return present(shown_document, shown, name="doctor", code=FAILED if missing else OK)


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


def _lines(features: Sequence[FeatureStatus]) -> Iterator[str]:
    from memgauge.cli.features import ALWAYS

    about = _about()
    program = f"memgauge {about.pop('memgauge')}, Python {about.pop('python')}, {about.pop('platform')}"
    yield f"{program}: the core works."
    about.pop("interpreter")
    for name, value in about.items():
        yield f"It {name} {', '.join(value) if isinstance(value, list) else value}."
    listed = [each for each in features if each.group != "Keys" or each.here or each.name in ALWAYS]
    width = max(len(each.name) for each in listed)
    for group, members in groupby(listed, key=lambda each: each.group):
        yield from ("", group)
        for each in members:
            where = f" ({each.found})" if each.found else ""
            yield f"  {'yes' if each.here else 'no ':3}  {each.name:<{width}}  {each.what}{where}"
            if not each.here:
                yield f"       {'':<{width}}  $ {each.add}"
    here = sum(each.here for each in listed)
    yield ""
    yield f"{here} of {len(listed)} optional features are here. Nothing is installed unless you run a line above."
