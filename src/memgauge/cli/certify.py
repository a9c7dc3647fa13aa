"""`memgauge judge certify`, and the panels that it shares with `memgauge judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import OK
from memgauge.frame.models import ModelOptions, say_estimate
from memgauge.frame.options import AsData
from memgauge.frame.panels import Models, open_panel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.llm.judges.certify import Certificate
    from memgauge.llm.judges.panel import Panel
    from memgauge.llm.judges.sentinels import Sentinel

_MODELS = ModelOptions()


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
    """Feed a panel answers of which it is known whether they are right, and say what it is good for.

    It is fit, fit with correction, or unfit, by limits that the certificate states.

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
    from memgauge.results import plain

    judges, accesses = open_panel(panel, repeats, quorum, models)
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
        _write(out, data)
    if json:
        emit(data)
    else:
        _print_certificate(found)
    return OK


def _write(path: Path, certificate: Mapping[str, object]) -> None:
    from json import dumps

    from memgauge.runs.files import write_atomically

    write_atomically(path, dumps(certificate, indent=1) + "\n")


def _known(dataset: str, path: Path | None, limit: int, seed: int) -> list[Sentinel]:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.llm.judges.sentinels import build, read_sentinels

    if path is not None:
        return read_sentinels(path)
    opened = open_dataset(dataset, allow_unpinned=True)
    questions = [question for case in opened.cases() for question in case.questions]
    return build(questions, list(opened.gold()), limit=limit, seed=seed)


def open_certificate(path: Path | None, panel: Panel) -> Certificate | None:
    """Read a certificate of this panel, if one was named.

    Raises:
        ConfigError: It is none, of an older version, or of another panel.
    """
    from pydantic import ValidationError

    from memgauge.llm.judges.certify import read_certificate
    from memgauge.results import plain

    if path is None:
        return None
    remedy = "Make one with `memgauge judge certify --out`."
    try:
        certificate = read_certificate(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}.", remedy) from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the file itself"
        raise ConfigError(
            f"{path} is no certificate, or one of an older version: {field}: {first['msg']}.", remedy
        ) from error
    tested = {name: value for name, value in certificate.details.items() if name != "prompts"}
    if tested != plain(dict(panel.details)):
        raise ConfigError(f"{path} is of another panel.", "Certify this one.")
    return certificate


def untested_prompts(certificate: Certificate | None, prompts: Mapping[str, str]) -> list[str]:
    """Name the prompts, given with their hashes, of which a certificate says nothing."""
    if certificate is None:
        return []
    tested = certificate.details.get("prompts", {})
    return sorted(name for name, sha256 in prompts.items() if tested.get(name) != sha256)


def _print_certificate(found: Certificate) -> None:
    from rich.table import Table

    table = Table(
        "sentinels", "n", "accepted", "95 %", "invalid", "undecided", "cut off", box=None, title=found.panel
    )
    for rate in found.rates:
        share = rate.accepted
        value = "undefined" if share.mean is None else f"{share.mean:.3f}"
        around = "" if share.low is None or share.high is None else f"[{share.low:.3f}, {share.high:.3f}]"
        table.add_row(rate.kind, str(rate.n), value, around, *map(str, (rate.invalid, rate.undecided, rate.cut)))
    say(table)
    if found.agreed.mean is not None:
        say(f"{found.agreed.mean:.1%} of {found.agreed.n} decided sentinels were judged as they are.")
    say(f"{found.injections_accepted} injections were accepted; the detector named {found.injections_reported}.")
    if found.length is not None:
        less = f"{abs(found.length):.3f} {'less' if found.length >= 0 else 'more'}"
        say(f"Of right answers within a sentence, {less} are accepted than of right answers alone.")
    say(f"{found.stamp}.")
    say(f"Verdict: {found.verdict}{'' if not found.reasons else ': ' + '; '.join(found.reasons)}.")
