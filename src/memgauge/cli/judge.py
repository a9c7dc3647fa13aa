"""`memgauge judge`: verdicts of models on answers, and what such verdicts are worth."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.cli.console import emit, say, working
from memgauge.cli.exits import OK
from memgauge.cli.models import ModelOptions, say_estimate, spent
from memgauge.cli.options import RUNS, AsData
from memgauge.errors import ConfigError, IdentityError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.access import Access
    from memgauge.llm.judges.certify import Certificate
    from memgauge.llm.judges.panel import Panel
    from memgauge.llm.judges.sentinels import Sentinel
    from memgauge.runs.layers import Layer
    from memgauge.scoring.judged import JudgedEntry
    from memgauge.stats import Interval

app = App("judge", help="Let models judge answers, and certify judges with answers that are known.")

Models = Annotated[tuple[str, ...], Parameter(name=["--panel", "-p"], negative=(), show_default=False)]
_MODELS = ModelOptions()


@app.default
def judge(
    *runs: Path,
    panel: Models = (),
    repeats: int = 1,
    quorum: int = 1,
    answers: str = "",
    factor: Literal["system", "answerer"] = "system",
    certificate: Path | None = None,
    models: ModelOptions = _MODELS,
    seed: int = 0,
    json: AsData = False,
) -> int:
    """Judge the answers of runs, blind and in a shuffled order, and keep every vote as a sealed layer.

    A reply that is not exactly a verdict is invalid: neither right nor wrong.

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    panel
        Judge models as `provider:name`; repeat for several. There is no default: a paid judge is a choice.
    repeats
        How often each of them judges everything anew.
    quorum
        Judges that must have said something.
    answers
        Only layers of answers whose name holds this.
    factor
        What may differ in one table: systems under one answerer and prompt, or answerers too.
    certificate
        A certificate of this panel, as `memgauge judge certify --out` writes it.
    seed
        Of the order.
    json
        Print data instead of tables.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.judging import judge_layer
    from memgauge.runs.layers import layers
    from memgauge.runs.store import find_runs, load
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.judged import judged_entry
    from memgauge.scoring.noise import judge_noise, over_runs

    judges, accesses = _panel(panel, repeats, quorum, models)
    stamp = _stamp(certificate, judges)
    loaded = [load(folder) for folder in find_runs(runs or (RUNS,))]
    chosen = [[one for one in layers(run, "answers") if answers in one.manifest.label] for run in loaded]
    if factor == "system":
        _alike([layer for found in chosen for layer in found])
    entries = []
    for run, found in zip(loaded, chosen, strict=True):
        dataset = open_dataset(run.manifest.dataset.ref, allow_unpinned=True)
        gold = GoldTable.read(dataset)
        for layer in found:
            with working(f"judging {run.label}"):
                verdicts = judge_layer(
                    run,
                    layer,
                    dataset,
                    judges,
                    workers=models.workers,
                    seed=seed,
                    environment=lambda: spent(accesses.values()),
                )
            entries.append(judged_entry(run, layer, verdicts, gold))
    if not entries:
        raise ConfigError("There are no answers to judge.", "Make some with `memgauge answer`.")
    if json:
        noise = {"judges": list(map(asdict, judge_noise(entries))), "runs": list(map(asdict, over_runs(entries)))}
        emit({"stamp": stamp, "judged": [asdict(entry) for entry in entries], "noise": noise})
    else:
        _print(entries, stamp)
    return OK


@app.command
def certify(
    *,
    panel: Models = (),
    repeats: int = 1,
    quorum: int = 1,
    dataset: Annotated[str, Parameter(name=["--dataset", "-d"])] = "synthetic:small",
    sentinels: Path | None = None,
    limit: int = 40,
    seed: int = 0,
    out: Path | None = None,
    models: ModelOptions = _MODELS,
    json: AsData = False,
) -> int:
    """Feed a panel answers of which it is known whether they are right, and say what it accepts.

    Parameters
    ----------
    panel
        Judge models as `provider:name`; repeat for several.
    repeats
        How often each of them judges everything anew.
    quorum
        Judges that must have said something.
    dataset
        Whose questions the sentinels are built from.
    sentinels
        A file of sentinels instead: JSON lines with question, gold, answer, right, and perhaps abstain and kind.
    limit
        Questions that sentinels are built from; each gives about six.
    seed
        Of the choice of questions and words.
    out
        File to write the certificate to, for `memgauge judge --certificate`.
    json
        Print data instead of a table.
    """
    from memgauge.llm.judges.certify import certify as judge_known
    from memgauge.report.data import plain

    judges, accesses = _panel(panel, repeats, quorum, models)
    known = _known(dataset, sentinels, limit, seed)
    if models.plan:
        requests = (one.request(sentinel.item) for sentinel in known for one in judges.judges)
        estimate = models.estimate(accesses, requests)
        emit(estimate) if json else say_estimate(estimate)
        return OK
    with working(f"judging {len(known)} sentinels"):
        found = judge_known(judges, known, workers=models.workers)
    data = plain(found) | {"stamp": found.stamp}
    if out is not None:
        from json import dumps

        from memgauge.runs.files import write_atomically

        write_atomically(out, dumps(data, indent=1) + "\n")
    if json:
        emit(data)
    else:
        _print_certificate(found)
    return OK


def _alike(answers: Sequence[Layer]) -> None:
    """Refuse to put answers side by side that differ in more than the system.

    Raises:
        IdentityError: They come from several answerers, prompts or contexts.
    """
    labels = {layer.manifest.label: layer.manifest.maker for layer in answers}
    makers = {str(sorted(maker.items(), key=str)) for maker in labels.values()}
    if len(makers) > 1:
        raise IdentityError(
            f"These answers differ in more than the system: {', '.join(sorted(labels))}.",
            "Choose some with --answers, or declare --factor answerer.",
        )


def _panel(
    names: Sequence[str], repeats: int, quorum: int, models: ModelOptions
) -> tuple[Panel, dict[str, Access]]:
    from memgauge.llm.judges.panel import Judge, Panel

    if not names:
        raise ConfigError("No judge was named.", "Name one with --panel provider:name; there is no default.")
    if repeats < 1 or quorum < 1:
        raise ConfigError("Repeats and quorum must be at least 1.")
    wanted = [name for text in names for name in text.split(",")]
    accesses = {name: models.open(name) for name in dict.fromkeys(wanted)}
    judges = [Judge(access, sample) for access in accesses.values() for sample in range(repeats)]
    return Panel(tuple(judges), quorum), accesses


def _known(dataset: str, path: Path | None, limit: int, seed: int) -> list[Sentinel]:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.llm.judges.sentinels import build, read_sentinels

    if path is not None:
        return read_sentinels(path)
    opened = open_dataset(dataset, allow_unpinned=True)
    questions = [question for case in opened.cases() for question in case.questions]
    return build(questions, list(opened.gold()), limit=limit, seed=seed)


def _stamp(certificate: Path | None, panel: Panel) -> str:
    """Read the stamp of a certificate, if it is one of this panel."""
    from json import loads

    from memgauge.llm.judges.certify import UNCERTIFIED
    from memgauge.report.data import plain

    if certificate is None:
        return UNCERTIFIED
    try:
        data = loads(certificate.read_text("utf-8"))
        details, stamp = data["details"], str(data["stamp"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "Make one with `memgauge judge certify --out`."
        raise ConfigError(f"{certificate} is no certificate: {error}.", remedy) from error
    if details != plain(dict(panel.details)):
        raise ConfigError(f"{certificate} is of another panel.", "Certify this one.")
    return stamp


def _print(entries: Sequence[JudgedEntry], stamp: str) -> None:
    from rich.table import Table

    from memgauge.report.words import interval, number
    from memgauge.scoring.noise import judge_noise, over_runs

    table = Table("system", "answers", "judged right", "scored", "injections", box=None)
    for entry in entries:
        right = f"{number(entry.score.value)} {interval(entry.score)}".rstrip()
        table.add_row(entry.system, entry.answers, right, str(entry.score.denominator), str(entry.injections))
    say(table)
    for entry in entries:
        for judge, grades in entry.by_judge.items():
            say(f"{entry.system}, {judge}: {', '.join(f'{n} {grade}' for grade, n in sorted(grades.items()))}.")
        for flip in entry.flips:
            alike = f"{flip.agreed} of {flip.both} alike, kappa {_kappa(flip.kappa)}"
            alone = f"{flip.only_a} right to the first alone, {flip.only_b} to the second alone"
            say(f"{entry.system}, {flip.a} and {flip.b}: {alike}; {alone}.")
    for noise in judge_noise(entries):
        if noise.within is not None:
            between = "" if noise.between is None else f"; between systems {noise.between:.3f}"
            say(f"{noise.judge}, judging {noise.repeats} times: standard deviation {noise.within:.3f}{between}.")
    for runs in over_runs(entries):
        if runs.sd is not None:
            say(f"{runs.system}: mean of {runs.runs} runs {runs.mean:.3f}, standard deviation {runs.sd:.3f}.")
    say(f"Judge: {entries[0].panel}; {stamp}.")


def _kappa(value: Interval) -> str:
    if value.mean is None:
        return f"undefined ({value.reason})"
    around = "" if value.low is None or value.high is None else f" [{value.low:.2f}, {value.high:.2f}]"
    return f"{value.mean:.2f}{around}"


def _print_certificate(found: Certificate) -> None:
    from rich.table import Table

    table = Table("sentinels", "n", "accepted", "95 %", "invalid", "undecided", box=None, title=found.panel)
    for rate in found.rates:
        share = rate.accepted
        value = "undefined" if share.mean is None else f"{share.mean:.3f}"
        around = "" if share.low is None or share.high is None else f"[{share.low:.3f}, {share.high:.3f}]"
        table.add_row(rate.kind, str(rate.n), value, around, str(rate.invalid), str(rate.undecided))
    say(table)
    if found.agreed.mean is not None:
        say(f"{found.agreed.mean:.1%} of {found.agreed.n} decided sentinels were judged as they are.")
    say(f"{found.injections_accepted} injections were accepted; the detector named {found.injections_reported}.")
    say(found.stamp)
