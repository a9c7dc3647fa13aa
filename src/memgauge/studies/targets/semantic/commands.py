"""`memgauge study targets cases | label | support`: the semantic audit of what a relaxed target credits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import ConfigError
from memgauge.frame.choosing import finished
from memgauge.frame.console import working
from memgauge.frame.models import ModelOptions, estimated
from memgauge.frame.numbers import COUNT, HITS, NUMBER
from memgauge.frame.options import RUNS, Flag, JudgeNames
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.frame.panels import open_panel
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from memgauge.datasets.base import Dataset
    from memgauge.studies.targets.lineup import Lineup

_MODELS = ModelOptions()
FOLDER = Path("support")


def cases(
    *runs: Path,
    out: Path = FOLDER,
    k: Annotated[int, HITS] = 60,
    people: Annotated[int, COUNT] = 115,
    overlap: Annotated[int, NUMBER] = 36,
    shown: Printing = PLAIN,
) -> int:
    """Extract the memories that Canonical credits where Raw finds nothing, with controls, shuffled and blind.

    Example: memgauge study targets cases runs --out support

    Parameters
    ----------
    runs
        Run folders, or folders of them, on one dataset; `runs` when none is named.
    out
        Folder of the cases, and of a sheet (`human.csv`) that people can fill in.
    k
        Hits that are looked at.
    people
        Contested cases on the sheet, in equal parts by rank.
    overlap
        Those of them that a second person labels too.
    """
    from collections import Counter

    from memgauge.studies.targets.semantic.cases import cases as extract
    from memgauge.studies.targets.semantic.cases import distinct, human_subset
    from memgauge.studies.targets.semantic.labels import write_cases

    if min(people, overlap) < 0:
        raise ConfigError(f"Nobody labels {min(people, overlap)} cases.", "Name 0 or more.")
    lineup, dataset = _lineup(runs or (RUNS,), k)
    all_cases = extract(lineup, dataset)
    if not all_cases:
        raise ConfigError("There is no case: no run holds derived memories with texts.", "Audit runs with both.")
    for_people = human_subset(all_cases, people)
    write_cases(out, all_cases, for_people, overlap)
    counts = dict(sorted(Counter(case.arm for case in distinct(all_cases)).items()))
    arms = ", ".join(f"{n:,} {arm}" for arm, n in counts.items())
    data = {"folder": str(out), "cases": counts, "people": len(for_people)}
    return present(told(data, f"{out}: {arms}; {len(for_people)} on the sheet for people."), shown)


def label(
    folder: Path = FOLDER,
    *,
    panel: JudgeNames = (),
    repeats: Annotated[int, COUNT] = 1,
    heuristics: Annotated[bool, Flag] = False,
    models: ModelOptions = _MODELS,
    shown: Printing = PLAIN,
) -> int:
    """Let models, or three heuristics on words, label cases; what is labelled already is not asked again.

    Example: memgauge study targets label support --heuristics

    Parameters
    ----------
    folder
        Of the cases.
    panel
        Judge models as `provider:name`; repeat for several.
    repeats
        How often each of them labels everything anew.
    heuristics
        Count words instead, or as well: no judge, but free.
    """
    from memgauge.llm.judges.items import support
    from memgauge.studies.targets.semantic.labels import label_by_models, label_by_proxies, read_cases, read_labels

    if not panel and not heuristics:
        raise ConfigError("Nobody was named.", "Name judges with --panel, or take --heuristics.")
    cases_read = read_cases(folder)
    judges, accesses = open_panel(panel, repeats, 1, models) if panel else (None, {})
    if models.plan and judges is not None:
        items = [support(case.question, case.gold, case.evidence, case.memory) for case in cases_read]
        estimate = models.estimate(accesses, (judge.request(item) for judge in judges.judges for item in items))
        return present(estimated(estimate), shown)
    if heuristics:
        label_by_proxies(folder, cases_read)
    if judges is not None:
        with working("labelling") as update:
            label_by_models(
                folder,
                cases_read,
                judges.judges,
                workers=models.workers,
                on_progress=lambda done, total: update(f"labelling: {done} of {total}"),
            )
    labels = read_labels(folder)
    line = f"{folder}: {len(labels):,} labels. Next: memgauge study targets support {typed(folder)}"
    return present(told({"folder": str(folder), "labels": len(labels)}, line), shown)


def support(
    folder: Path = FOLDER,
    *runs: Path,
    quorum: Annotated[int, COUNT] = 1,
    k: Annotated[int, HITS] = 60,
    output: Output = SHOWN,
) -> int:
    """Say how much of the relaxed credit is deserved, and how far those agree who labelled it.

    Example: memgauge study targets support support runs

    Parameters
    ----------
    folder
        Of the cases and their labels.
    runs
        Runs to score by support as well.
    quorum
        Judges, or heuristics, that must have decided a case; of people one is enough.
    k
        Hits that are looked at.
    """
    from memgauge.studies.targets.semantic.audit import support_audit
    from memgauge.studies.targets.semantic.graded import SupportReport, graded
    from memgauge.studies.targets.semantic.labels import read_cases, read_labels
    from memgauge.studies.targets.semantic.raters import decided
    from memgauge.studies.targets.semantic.show import document

    cases_read, labels = read_cases(folder), read_labels(folder)
    if not labels:
        raise ConfigError(f"Nobody has labelled {folder}.", "Label it with `memgauge study targets label`.")
    graded_runs = graded(_lineup(runs, k)[0], cases_read, decided(labels, quorum)) if runs else []
    report = SupportReport(support_audit(cases_read, labels, quorum), tuple(graded_runs))
    return present(document(report), output, name="support")


def _lineup(paths: tuple[Path, ...], k: int) -> tuple[Lineup, Dataset]:
    from memgauge.studies.targets.lineup import AuditSpec, line_up
    from memgauge.studies.targets.opening import open_runs

    runs_read, gold, dataset = open_runs(tuple(finished(paths)))
    return line_up(runs_read, gold, AuditSpec(k=k)), dataset
