"""`memgauge systems aged | as-of`: the newest versions of products beside the pinned ones."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK, PARTIAL
from memgauge.frame.numbers import DURATION
from memgauge.frame.options import Flag, Repeatable
from memgauge.frame.output import SHOWN, Output, present

if TYPE_CHECKING:
    from memgauge.systems.aging.report import AgingReport


def aged(
    *products: str,
    golden: Annotated[tuple[str, ...], Repeatable] = (),
    scripted_model: Annotated[bool, Flag] = False,
    python: str = "",
    remove: Annotated[bool, Flag] = False,
    timeout: Annotated[
        float, Parameter(help="Seconds that one check, or one call of a scenario, may take."), DURATION
    ] = 120,
    output: Output = SHOWN,
) -> int:
    """Install the newest version of products beside the pinned ones, check both, and say what changed.

    Packages, names and defaults of the module, claims, lineage, checks and golden scenarios are compared. The
    pinned version is its environment where it is installed, else the card that comes with this release. Exit code
    1: a promise broke; 3: the newest could not be looked at. This asks a package index, as installing does.

    Example: memgauge systems aged sqlite-vec --out aged

    Parameters
    ----------
    products
        Names of `memgauge systems list`, or a product's TOML file.
    golden
        Play this family of the golden suite on both; repeat for several. Both have to be installed.
    scripted_model
        Serve both a scripted model on this machine.
    python
        The Python of the newest one's environment, by its path.
    remove
        Remove the environment of the newest version in the end.
    """
    from memgauge.cli.aging_look import AgingLook
    from memgauge.cli.systems_matrix import counted
    from memgauge.systems.aging.report import OUTCOMES_OPEN, AgingReport
    from memgauge.systems.aging.show import aging_document
    from memgauge.systems.environments.products import product, product_names

    if not products:
        raise ConfigError("Nothing to look at.", f"There are: {', '.join(product_names())}.")
    output.folder(Path())
    _families_exist(golden)
    wanted = [product(name) for name in products]
    today = datetime.now(UTC).date().isoformat()
    with ExitStack() as stack:
        if scripted_model:
            stack.enter_context(counted())
        now = stack.enter_context(working("looking at newest versions"))
        look = AgingLook(golden, timeout, python, removes=remove)
        report = AgingReport(tuple(look.at(each, today, now) for each in wanted))
    open_ = any(each.outcome in OUTCOMES_OPEN for each in report.products)
    code = FAILED if any(each.broken for each in report.products) else PARTIAL if open_ else OK
    return present(aging_document(report), output, name="aged", code=code)


def as_of(*reports: Path, output: Output = SHOWN) -> int:
    """List every product: what is pinned, of which day, what newest version was seen, when, and what changed.

    Example: memgauge systems as-of aged/

    Parameters
    ----------
    reports
        Files of `memgauge systems aged --out FILE.json`, or folders with such in them, at any depth.
    """
    from memgauge.systems.aging.page import page
    from memgauge.systems.environments.products import product, product_names

    return present(page(list(map(product, product_names())), _read(reports)), output, name="as-of")


def _families_exist(families: tuple[str, ...]) -> None:
    """Tell a mistake before anything is installed.

    Raises:
        UnknownNameError: There is no such family.
    """
    from memgauge.registry import require_known
    from memgauge.studies.golden.commands_proof import open_suites

    known = sorted(
        {each.family for suite in open_suites(()) for each in suite.suite.scenarios} if families else ()
    )
    require_known("family of golden scenarios", families, known)


def _read(paths: tuple[Path, ...]) -> list[AgingReport]:
    from memgauge.systems.aging.page import read_report

    files = [file for path in paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    return list(map(read_report, files))
