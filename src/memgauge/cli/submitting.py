"""`memgauge results pack`, `check` and `reproduce`: runs are submitted, checked, and played again."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import NUMBER, SHARE
from memgauge.frame.options import Flag, Repeatable
from memgauge.frame.output import PLAIN, SHOWN, Format, Output, Printing, present, told
from memgauge.show.numbers import in_bytes
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.packing.about import Submitted
    from memgauge.submissions.packing.pack import BundleForm
    from memgauge.submissions.reproducing import Repeating
    from memgauge.submissions.sheets.verdicts import VerificationSheet

RESULTS = Path("results")
"""Where a checkout keeps its registry."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PackOptions:
    """What a submitter says of runs, and into what they are packed."""

    who: Annotated[str, Parameter(name="--as")]
    """Your name on GitHub."""
    out: Path = RESULTS
    """Root of the registry that the submission is written into, or any folder."""
    registry: Path | None = None
    """Registry whose products, lanes and contracts the sheet names, where --out is none."""
    division: Literal["closed", "open"] = "closed"
    """closed (the board's contract, three planned runs or more) or open (anything, described)."""
    relation: Literal["none", "vendor", "competitor", "memgauge-author"] = "none"
    """What you have to do with the product."""
    slug: str = "default"
    """What tells this submission from your others of the day: the setting, in a word."""
    product: str = ""
    """Name in the registry; by default that of the system."""
    lane: str = ""
    """Name in the registry; by default the one whose models the runs declare."""
    contract: str = ""
    """Name in the registry; by default that of the dataset's boards."""
    adapter: str = ""
    """Where the code lies that asks the product: owner/repository@commit; by default memgauge itself."""
    adapter_licence: str = "Apache-2.0"
    """Of that code."""
    licence: Literal["CC0-1.0", "CC-BY-4.0"] = "CC-BY-4.0"
    """Under which you give the rows away."""
    tuned_on: Annotated[tuple[str, ...], Repeatable] = ()
    """Dataset or split that was looked at while settings were chosen; repeat for several, leave out for none."""
    supersedes: str = ""
    """The submission that this one corrects."""
    model_calls: Annotated[int, NUMBER] = 0
    """Calls of a model for one question."""
    statement: Path | None = None
    """A STATEMENT.md that is written already."""
    card: Path | None = None
    """What `memgauge systems card --out card.json` wrote; by default the one that memgauge ships."""
    compact: Annotated[bool, Flag] = False
    """Bundles in a third of the space, which take seconds to open."""
    with_text: Annotated[bool, Flag] = False
    """Keep texts, where the data's licence lets them be passed on: without, what a memory wrote has no rank."""
    on: str = ""
    """Day of the submission, YYYY-MM-DD; today where nothing is said."""

    @property
    def about(self) -> Submitted:
        """Return what is said of the submission."""
        from memgauge.submissions.packing.about import Submitted
        from memgauge.submissions.packing.adapter import adapter_source

        names = {each.name for each in fields(Submitted)} & {each.name for each in fields(self)}
        as_given = {name: getattr(self, name) for name in names - {"on", "adapter"}}
        adapter = adapter_source(self.adapter, self.adapter_licence) if self.adapter else None
        return Submitted(on=_day(self.on), adapter=adapter, **as_given)

    @property
    def form(self) -> BundleForm:
        """Return what bundles keep.

        Raises:
            ConfigError: Two forms are asked for.
        """
        if self.compact and self.with_text:
            raise ConfigError("--compact keeps no texts.", "Say one of --compact and --with-text.")
        return "compact" if self.compact else "whole" if self.with_text else "bare"


def pack(*runs: Path, options: PackOptions, shown: Printing = PLAIN) -> int:
    """Pack sealed runs of one system into a submission: rows without texts, and all that must stand beside them.

    What the runs and the registry know is written for you: version, lane, contract, options, lock, card, costs.
    What only you know is left open in STATEMENT.md. Then `memgauge results check` says what is missing.

    Example: memgauge results pack runs --as ann --slug default

    Parameters
    ----------
    runs
        Run folders of one system under one setting, or folders of them; `runs` when none is named.
    """
    from memgauge.frame.choosing import finished
    from memgauge.submissions.packing.pack import pack as pack_runs
    from memgauge.submissions.repository import Repository

    with working("packing"):
        repository = Repository.at(options.registry or options.out)
        packed = pack_runs(finished(runs), repository, options.about, options.out, form=options.form)
    place = packed.folder.folder
    lines = [f"{place} ({in_bytes(packed.bytes)}): {packed.folder.id}"]
    if packed.unsaid:
        lines.append(f"Left for you to say, in {place / 'STATEMENT.md'}: {', '.join(packed.unsaid)}.")
    lines.append(f"Next: memgauge results check {typed(place)}")
    data = {"folder": str(place), "id": packed.folder.id, "bytes": packed.bytes, "unsaid": list(packed.unsaid)}
    return present(told(data, *lines), shown)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text) if text else datetime.now(UTC).date()
    except ValueError as error:
        raise ConfigError(f"--on {text!r} is no day.", "Write YYYY-MM-DD.") from error


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ReproduceOptions:
    """How a submission is played again, and who says so."""

    relation: Literal["none", "vendor", "competitor", "memgauge-author", "submitter"] = "none"
    """What you have to do with the product, or that you are its submitter."""
    work: Path = Path("reproduced")
    """Folder of the empty home, the empty cache and the runs; what was begun there goes on."""
    margin: Annotated[float, SHARE] = 0.02
    """Within which the repetition must agree."""
    every: Annotated[bool, Flag] = False
    """Play every run again, not the first of each dataset alone."""
    in_ci: Annotated[bool, Flag] = False
    """This is a build server's run from the lock: level 4."""
    on: str = ""
    """Day of the verification, YYYY-MM-DD; today where nothing is said."""

    def repeating(self, who: str) -> Repeating:
        """Return what *who* asks for."""
        from memgauge.frame.console import aside
        from memgauge.submissions.reproducing import Repeating
        from memgauge.submissions.sheets.verdicts import Verifier

        return Repeating(
            Verifier(github=who, relation=self.relation),
            _day(self.on),
            self.work.resolve(),
            margin=self.margin,
            every=self.every,
            in_ci=self.in_ci,
            tell=aside,
        )


_REPEATING = ReproduceOptions()


def reproduce(
    submission: Path,
    /,
    *,
    who: Annotated[str, Parameter(name="--as")],
    options: ReproduceOptions = _REPEATING,
    shown: Printing = PLAIN,
) -> int:
    """Play a submission again from its lock, and write down whether it agrees: the sheet of a verification.

    The product and the models that it names are installed into an empty home, which fetches packages. It agrees
    where the whole interval of the paired difference lies within the margin; exit code 1 where it does not.

    Example: memgauge results reproduce results/submissions/bm25/2/20261125-memgauge-bm25 --as bob

    Parameters
    ----------
    submission
        Folder of a submission in a registry.
    who
        Your name on GitHub.
    """
    from memgauge.submissions.repository import Repository, SubmissionFolder
    from memgauge.submissions.reproducing import repeat_submission, write_verification

    root = _root_of(submission)
    folder = SubmissionFolder(root, submission.resolve())
    repeated = repeat_submission(folder, Repository.at(root), options.repeating(who))
    path = _shown(write_verification(repeated, folder, root))
    sheet = repeated.sheet
    data = {"sheet": str(path), **sheet.model_dump(mode="json", by_alias=True)}
    lines = [f"{folder.id}: {sheet.outcome.replace('-', ' ')}.", *_found(sheet), f"Written: {path}"]
    code = OK if sheet.outcome == "agrees" else FAILED
    return present(told(data, *lines), shown, name="reproduce", code=code)


def _found(sheet: VerificationSheet) -> Iterator[str]:
    """Say how far a repetition is from what was submitted."""
    if (pair := sheet.paired) is not None:
        low, high = pair.interval
        yield (
            f"{pair.measure}: {pair.difference:+.4f}, 95 % from {low:+.4f} to {high:+.4f}, on {pair.questions:,} "
            f"questions; the margin is {pair.margin:g}."
        )
    yield from (f"Deviation: {each}" for each in sheet.deviations)


def _shown(path: Path) -> Path:
    """Return a path as a reader would type it here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _root_of(folder: Path, *, sheet: bool = True) -> Path:
    """Find the registry that a submission lies in; with *sheet*, one that has its sheet.

    Raises:
        ConfigError: It lies in none.
    """
    root = next((parent for parent in folder.resolve().parents if (parent / "registry").is_dir()), None)
    if root is None or not folder.is_dir() or (sheet and not (folder / "submission.toml").is_file()):
        raise ConfigError(
            f"{folder} is no submission in a registry.",
            "Name a folder below its `submissions`, or the registry that it is meant for with --registry.",
        )
    return root


def check(
    submission: Path,
    /,
    *,
    registry: Path | None = None,
    base: str = "",
    against: Path | None = None,
    markdown: Annotated[bool, Flag] = False,
    junit: Annotated[bool, Flag] = False,
    output: Output = SHOWN,
) -> int:
    """Check a submission as the build server will: what keeps it out, where, and what to do.

    Exit code 1 where it is refused. A submission that is accepted is told its level, and what the next one needs.
    A verification is accepted where the rows of its repetition show what it says.

    Example: memgauge results check results/submissions/bm25/2/20261125-memgauge-bm25

    Parameters
    ----------
    submission
        Folder of a submission, in a registry or before it is moved into one; or the sheet of a verification.
    registry
        Root of the registry that it is meant for, where it does not lie in it.
    base
        Commit, branch or tag that nothing else may differ from, asked of git.
    against
        Folder of a site that `results board` built before: no row of anybody else may vanish or move.
    markdown
        As the comment of a pull request: level, numbers beside others, costs, questions.
    junit
        The same as --format junit.
    """
    from memgauge.submissions.checks.changes import changes_against
    from memgauge.submissions.checks.checking import check_submission
    from memgauge.submissions.checks.comment import comment
    from memgauge.submissions.checks.report import report_of
    from memgauge.submissions.checks.show import document
    from memgauge.submissions.checks.subject import subject_of
    from memgauge.submissions.repository import Repository, SubmissionFolder

    if submission.suffix == ".toml":
        return _check_verification(submission, base, output=output, junit=junit, markdown=markdown)
    own = registry is None
    root = _root_of(submission, sheet=False) if registry is None else registry.resolve()
    folder = submission.resolve()
    placed = SubmissionFolder(root if own else folder.parents[3], folder)
    changes = changes_against(base, root) if base else None
    today = datetime.now(UTC).date()
    with working("checking"), subject_of(Repository.at(root), placed, changes, against, today) as subject:
        checked = check_submission(subject)
        report = report_of(checked, subject)
    form = Format.MARKDOWN if markdown else Format.JUNIT if junit else output.format
    shown = replace(output, format=form)
    drawn = comment(report) if markdown else document(checked, report)
    return present(drawn, shown, name="check", code=OK if checked.accepted else FAILED)


def _check_verification(path: Path, base: str, *, output: Output, junit: bool, markdown: bool) -> int:
    """Check the sheet of a verification where it lies in a registry; a link is not followed."""
    from memgauge.submissions.checks.changes import changes_against
    from memgauge.submissions.checks.show import verification_document
    from memgauge.submissions.checks.verifications import check_verification
    from memgauge.submissions.repository import Repository

    root = _root_of(path.parent, sheet=False)
    with working("checking"):
        changes = changes_against(base, root) if base else None
        checked = check_verification(Repository.at(root), path.parent.resolve() / path.name, changes)
    form = Format.MARKDOWN if markdown else Format.JUNIT if junit else output.format
    code = OK if checked.accepted else FAILED
    return present(verification_document(checked), replace(output, format=form), name="check", code=code)
