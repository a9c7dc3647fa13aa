"""`memgauge runs accept` and `memgauge runs cite`: what is labels of runs in git and in papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from memgauge.errors import ConfigError, RunError
from memgauge.frame.console import working
from memgauge.frame.options import Flag, ScoreOptions
from memgauge.frame.output import PLAIN, Format, Printing, present, told
from memgauge.results import ReadyData
from memgauge.show import Code, Document

_DEFAULT = ScoreOptions()


def accept(
    *runs: Path,
    name: Annotated[str, Parameter(name="--as")],
    options: ScoreOptions = _DEFAULT,
    out: Path = Path("baseline.json"),
    shown: Printing = PLAIN,
) -> int:
    """Keep runs as the baseline of later builds: a small file for git, so that nothing is measured again.

    It holds what each question is worth under the contract and for the quality gate, who each run is, and the
    digest of its seal; no texts. `memgauge compare` and `memgauge study quality gate` take it in place of a run.

    Example: memgauge runs accept runs/after --as main

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    name
        What comparisons call it: a commit, a version, a branch.
    out
        The file to write.
    """
    from memgauge.frame.choosing import finished
    from memgauge.runs.record.files import write_atomically
    from memgauge.runs.record.store import load
    from memgauge.scoring.accepted import AcceptedRuns, accepted_text
    from memgauge.scoring.accepted import accept as accept_run
    from memgauge.scoring.judged_runs import read_gold
    from memgauge.scoring.lost_writes import lost_writes
    from memgauge.studies.quality.gate import DEFAULT

    if not name.strip() or out.suffix != ".json":
        raise ConfigError("A baseline needs a name and a file.", "Say --as main --out baseline.json.")
    loaded = [load(folder) for folder in finished(runs)]
    for run in loaded:
        if not {"ok", "empty"} & set(run.questions["outcome"].tolist()):
            remedy = (
                "See why: `memgauge runs show` names each; a baseline without answers lets everything through."
            )
            raise RunError(f"{run.folder}: none of its searches succeeded.", remedy)
        if lost := lost_writes(run):
            remedy = "Mend that and run it again: a baseline that lost writes lets more be lost."
            raise RunError(f"{run.folder} is incomplete: {lost}.", remedy)
    with working("valuing"):
        gold, settings = read_gold(loaded, allow_unpinned=True), options.settings()
        gated = tuple(dict.fromkeys((*DEFAULT, *options.measure)))
        accepted = AcceptedRuns(
            tuple(accept_run(run, gold[run.manifest.dataset.ref], settings, gated, name.strip()) for run in loaded)
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, accepted_text(accepted))
    size = out.stat().st_size
    data = {"file": str(out), "bytes": size, "as": name.strip(), "runs": [run.manifest.id for run in loaded]}
    labels = ", ".join(run.label for run in loaded)
    return present(
        told(data, f"{out} ({size / 1e3:,.0f} kB): {labels}, accepted as {name.strip()}. Keep it in git."), shown
    )


def cite(
    *runs: Path,
    options: ScoreOptions = _DEFAULT,
    form: Annotated[Literal["text", "md", "bibtex", "json"], Parameter(name="--format")] = "text",
    json: Annotated[bool, Flag] = False,
) -> int:
    """Write the methods paragraph of runs for a paper, and what to cite, as text, Markdown or BibTeX.

    Example: memgauge runs cite runs/after --format bibtex

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    form
        text or md (paragraph and references), bibtex, or json (all of them).
    json
        The same as --format json.
    """
    from memgauge.frame.choosing import finished
    from memgauge.report.citing import document, entries
    from memgauge.runs.record.store import load

    loaded = [load(folder) for folder in finished(runs)]
    settings = options.settings()
    if form == "bibtex" and not json:
        written = entries(loaded)
        whole_lines = (Code(written, brief=True),)  # another program reads them
        return present(Document("", blocks=whole_lines, data=ReadyData({"bibtex": written})), PLAIN)
    made = document(loaded, settings.contract, settings.measures if options.measure else ())
    return present(made, Printing(format=Format.JSON if json else Format(form)))
