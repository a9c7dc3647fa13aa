"""Look at one product: install its newest version, check it and the pinned one, and compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.errors import SystemFault, UserError
from memgauge.systems.aging.compare import VersionFacts, changes, outcome, uncompared
from memgauge.systems.aging.names import canonical, locked_on, locked_packages
from memgauge.systems.aging.newest import description_of, install_newest, is_packaged
from memgauge.systems.aging.report import AgedProduct, AgingOutcome, AgingTopic
from memgauge.systems.aging.surface import ModuleSurface, surface_of
from memgauge.systems.environments.install import remove
from memgauge.systems.environments.places import environment_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.environments.places import Environment
    from memgauge.systems.environments.products import Product

CARD_REASON = "the pinned one is not installed, and its card keeps none"
CARD_REMARK = "The pinned side is the card of this release: what changed in our adapter since then shows as well."
CHECKOUT = "It is a checkout that no index has: its packages were renewed, its own commit was not."


@dataclass(frozen=True)
class PinnedFacts:
    """What is known of the pinned version, and from where."""

    facts: VersionFacts
    source: str = ""
    """``environment``, ``card``, or nowhere."""
    why: str = ""
    """Why its environment could not be asked although there is one."""


@dataclass(frozen=True)
class AgingLook:
    """How products are looked at."""

    golden: tuple[str, ...]
    """Families of the golden suite that are played."""
    timeout_s: float
    python: str
    removes: bool
    """Whether the environment of the newest version goes again."""

    def at(self, product: Product, today: str, now: Callable[[str], None]) -> AgedProduct:
        """Look at the newest version of *product*; what goes wrong with it is a finding."""
        blank = AgedProduct(
            product.name, AgingOutcome.UNPACKAGED, today, product.version, locked_on(product), pinned_from=""
        )
        if not is_packaged(product):
            return blank
        try:
            now(f"{product.name}: installing the newest")
            described, made = install_newest(product, python=self.python)
        except UserError as error:
            return replace(blank, outcome=AgingOutcome.UNINSTALLED, problem=str(error))
        try:
            return self._compared(product, described, made, blank, now)
        finally:
            if self.removes:
                remove(described)
                description_of(product).unlink(missing_ok=True)

    def _compared(
        self,
        product: Product,
        described: Product,
        made: Environment,
        blank: AgedProduct,
        now: Callable[[str], None],
    ) -> AgedProduct:
        newest = VersionFacts(described.version, _canonical(made))
        environment, why = _installed(product)
        before = VersionFacts(product.version, _canonical(environment) if environment else _locked(product))
        aged = replace(
            blank, newest=newest.version, remarks=(CHECKOUT,) if product.version != product.pinned else ()
        )
        if before.own_packages == newest.own_packages:
            return replace(aged, outcome=AgingOutcome.CURRENT)
        now(f"{product.name}: checking the pinned one")
        pinned = self._pinned(product, before, environment, why)
        if pinned.source == "card":
            aged = replace(aged, remarks=(*aged.remarks, CARD_REMARK))
        aged = replace(aged, pinned_from=pinned.source, changes=changes(pinned.facts, newest))
        now(f"{product.name}: checking the newest")
        try:
            newest = replace(newest, surface=_surface(described, made))
        except UserError as error:
            return replace(aged, outcome=AgingOutcome.UNIMPORTED, problem=str(error))
        try:
            newest = self._checked(described.file, newest, played=pinned.source == "environment")
        except (UserError, SystemFault) as error:
            ended = AgingOutcome.UNCOMPARED if pinned.why else AgingOutcome.UNOPENED
            return replace(aged, outcome=ended, problem=str(error), uncompared=self._left(pinned, newest))
        listed = changes(pinned.facts, newest)
        return replace(
            aged,
            outcome=outcome(pinned.facts, listed),
            changes=listed,
            uncompared=self._left(pinned, newest) | uncompared(pinned.facts, newest),
        )

    def _pinned(self, product: Product, before: VersionFacts, made: Environment | None, why: str) -> PinnedFacts:
        if made is not None:
            try:
                facts = replace(before, surface=_surface(product, made))
                ref = product.name if product.is_shipped else product.file
                return PinnedFacts(self._checked(ref, facts, played=True), "environment")
            except (UserError, SystemFault) as error:
                why = f"the pinned one cannot be used here: {error}"
        return _of_card(product, before, why)

    def _checked(self, ref: str, facts: VersionFacts, *, played: bool) -> VersionFacts:
        """Open a system, make all checks of it, and play what golden scenarios were asked for.

        Raises:
            UserError: It does not open.
            SystemFault: It raised while it was opened.
        """
        from memgauge.runs.play.conforming import examine
        from memgauge.runs.play.plan import present

        part = present(ref)
        examined = examine(part, lambda _: True, probe_s=self.timeout_s)
        return replace(
            facts,
            checks=examined.checks,
            capabilities=part.capabilities,
            offers=part.supports,
            golden=self._golden(ref) if self.golden and played else None,
        )

    def _golden(self, ref: str) -> dict[str, str]:
        from memgauge.studies.golden.commands_proof import open_suites
        from memgauge.studies.golden.runner import Options
        from memgauge.studies.golden.suite_run import run_suites

        options = Options(timeout_s=self.timeout_s)
        report = run_suites(open_suites(()), ref, options, families=self.golden)
        return {played.result.scenario: played.result.verdict for played in report.played}

    def _left(self, pinned: PinnedFacts, newest: VersionFacts) -> dict[AgingTopic, str]:
        """Say what was not compared, and why."""
        why = pinned.why or CARD_REASON
        left: dict[AgingTopic, str] = {}
        if pinned.source != "environment":
            left = dict.fromkeys((AgingTopic.PYTHON, AgingTopic.API, AgingTopic.DEFAULTS), why)
            if pinned.facts.capabilities is not None:
                left[AgingTopic.DEFAULTS] = f"of what the adapter declares only: {why}"
        elif newest.surface is None or not (pinned.facts.surface and newest.surface.names):
            left = dict.fromkeys((AgingTopic.API, AgingTopic.DEFAULTS), "it has no module with public names")
        if pinned.facts.checks is None:
            nothing = pinned.why or "the pinned one is not installed, and it has no card"
            left |= dict.fromkeys((AgingTopic.CLAIMS, AgingTopic.LINEAGE, AgingTopic.CONFORMANCE), nothing)
        if not self.golden:
            left[AgingTopic.GOLDEN] = "no family was named"
        elif pinned.source != "environment":
            left[AgingTopic.GOLDEN] = why
        return left


def _installed(product: Product) -> tuple[Environment | None, str]:
    try:
        return environment_of(product), ""
    except UserError as error:
        return None, f"the pinned one cannot be used here: {error}"


def _of_card(product: Product, before: VersionFacts, why: str) -> PinnedFacts:
    from memgauge.systems.conformance.shipped import shipped_cards

    card = next((card for card in shipped_cards() if card.ref == product.name), None)
    if card is None or card.version != product.version or not product.is_shipped:
        return PinnedFacts(before, "", why)
    facts = replace(before, checks=card.checks, capabilities=card.capabilities, offers=card.offers)
    return PinnedFacts(facts, "card", why)


def _surface(product: Product, made: Environment) -> ModuleSurface | None:
    return surface_of(product, made) if product.packages else None


def _canonical(made: Environment) -> dict[str, str]:
    return {canonical(name): version for name, version in made.packages.items()}


def _locked(product: Product) -> dict[str, str]:
    """Return what would be installed; of the pins alone where there is no lock."""
    lock = product.lock_path
    if lock is not None and lock.is_file():
        return {canonical(name): version for name, version in locked_packages(lock).items()}
    pins = [pin.partition("==") for pin in product.packages] + [pin.rpartition("@") for pin in product.node]
    return {canonical(name): version for name, _, version in pins}
