"""How a run is described in a paper: a paragraph of methods, and what to cite; from the record alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.report.references import BENCHMARKS, INFERENCE, bibtex
from memgauge.report.words import contract_sentence
from memgauge.results import ReadyData
from memgauge.show import Document
from memgauge.show.document import Prose
from memgauge.show.numbers import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Contract
    from memgauge.report.references import Reference
    from memgauge.runs.record.store import Run

INSTRUMENT = "memgauge: the measuring instrument for agent memory"


def document(runs: Sequence[Run], contract: Contract, measures: Sequence[str] = ()) -> Document:
    """Say how runs were made and scored, a paragraph each, then how intervals are made and what to cite."""
    paragraphs = [*map(methods, runs), inference(contract, measures)]
    own = f"The memgauge founders. {INSTRUMENT}, version {' and '.join(_versions(runs))}."
    cited = [own, *(each.text for each in references(runs))]
    return Document(
        title="Methods",
        blocks=(*map(Prose, paragraphs), Prose("References"), *map(Prose, cited)),
        origin="manifests and seals",
        data=ReadyData({"methods": paragraphs, "references": cited, "bibtex": entries(runs)}),
    )


def methods(run: Run) -> str:
    """Say in sentences what was measured, on which data, under which limits, and how it was kept from the gold."""
    if run.manifest.is_imported:
        return " ".join((*_measured(run), _imported(run), _identified(run)))
    return " ".join((*_measured(run), *_limited(run), run.manifest.isolation.sentence, _identified(run)))


def inference(contract: Contract, measures: Sequence[str] = ()) -> str:
    """Say what counts, and how sure that is."""
    named = f"Measures: {', '.join(measures)}. " if measures else ""
    return (
        f"{named}Contract ({contract}): {contract_sentence(contract)}. Intervals are 95 % score intervals over "
        "conversations, on CR2 standard errors with Satterthwaite's degrees of freedom; systems are compared "
        "question by question, by t on the same errors, with Holm's correction over the measures."
    )


def references(runs: Sequence[Run]) -> list[Reference]:
    """Return what to cite beside the instrument: the benchmarks, then what the inference rests on."""
    names = dict.fromkeys(run.manifest.dataset.name for run in runs)
    return [*(BENCHMARKS[name] for name in names if name in BENCHMARKS), *INFERENCE]


def entries(runs: Sequence[Run]) -> str:
    """Return everything that is cited as BibTeX: the instrument, the runs, the publications."""
    version = " and ".join(_versions(runs))
    own = {"author": "{The memgauge founders}", "title": f"{{{INSTRUMENT}}}", "version": version}
    made = [bibtex("misc", f"run-{run.manifest.id}", _fields(run)) for run in runs]
    each = [bibtex("software", "memgauge", own), *made, *(known.bibtex for known in references(runs))]
    return "\n\n".join(each)


def _fields(run: Run) -> dict[str, str]:
    dataset, system = run.manifest.dataset, run.manifest.system
    return {
        "title": f"{{Frozen run of {_plain(system.label)} on {_plain(dataset.ref)}}}",
        "howpublished": f"memgauge run {run.manifest.id}",
        "note": f"dataset sha256 {dataset.sha256}; identity {run.manifest.identity}; content {run.seal.content}",
    }


def _measured(run: Run) -> Iterator[str]:
    manifest, questions = run.manifest, run.questions
    system, dataset = manifest.system, manifest.dataset
    source = f", source sha256 {system.source[:12]}" if system.source else ""
    commit = f", commit {run.commit}" if run.commit else ""
    counted = (
        f"{len(np.unique(questions['conversation'])):,} conversations, {len(questions['question']):,} questions"
    )
    cited = f" [{BENCHMARKS[dataset.name].key}]" if dataset.name in BENCHMARKS else ""
    pinned = "" if dataset.pinned else "; not known to be the published file"
    did = "We scored what others recorded of" if run.manifest.is_imported else "We measured"
    yield (
        f"{did} {system.label} (version {system.version}{source}{commit}) on {dataset.ref} "
        f"(sha256 {dataset.sha256[:12]}{pinned}; {counted}){cited} with memgauge {_version(run)} [memgauge]."
    )


def _limited(run: Run) -> Iterator[str]:
    manifest = run.manifest
    limits, stream = manifest.limits, manifest.stream
    budget = "" if limits.budget_tokens is None else f" within {limits.budget_tokens:,} tokens"
    varied = "".join(f", {name} {value}" for name, value in sorted(stream.parameters.items()))
    yield (
        f"Turns were streamed under the protocol {stream.protocol}{varied}; each question was given at most "
        f"{plural(limits.k, 'hit')}{budget}, {limits.timeout_s:g} s and {plural(limits.retries, 'retry')}, with "
        f"seed {manifest.seed}; questions ended {_ended(run)}.".replace("retrys", "retries")
    )


def _imported(run: Run) -> str:
    """Say what is known of a run that the harness did not make: where it came from, and what it lacks."""
    known = run.manifest.system.capabilities.get("interventions") or ()
    return f"It was {'; '.join(map(str, known))}; questions ended {_ended(run)}."


def _ended(run: Run) -> str:
    outcomes, counts = np.unique(run.questions["outcome"].astype(str), return_counts=True)
    return listed([f"{n:,} {outcome}" for outcome, n in zip(outcomes.tolist(), counts.tolist(), strict=True)])


def _identified(run: Run) -> str:
    python = run.manifest.environment.get("python", "")
    return (
        f"Run {run.manifest.id}, content sha256 {run.seal.content[:16]}{f', Python {python}' if python else ''}."
    )


def _version(run: Run) -> str:
    return run.manifest.environment.get("memgauge", "(version not recorded)")


def _versions(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(map(_version, runs)))


def _plain(name: str) -> str:
    """Leave out what TeX would read as an order."""
    return "".join(sign if sign.isalnum() or sign in " .,:;/=+-()" else " " for sign in name)
