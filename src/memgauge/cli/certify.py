"""`memgauge models certify`, and the panels that it shares with `memgauge models judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated
from memgauge.frame.numbers import COUNT, SEED
from memgauge.frame.options import DatasetRef
from memgauge.frame.output import SHOWN, Output, present
from memgauge.frame.panels import PANEL, PanelOptions
from memgauge.misfits import first_misfit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.llm.judges.certify import Certificate
    from memgauge.llm.judges.panel import Panel
    from memgauge.llm.judges.sentinels import Sentinel

_MODELS = ModelOptions()


def certify(
    *,
    panel: PanelOptions = PANEL,
    dataset: DatasetRef = "synthetic:small",
    sentinels: Path | None = None,
    limit: Annotated[int, COUNT] = 40,
    seed: Annotated[int, SEED] = 0,
    models: ModelOptions = _MODELS,
    output: Output = SHOWN,
) -> int:
    """Feed a panel answers of which it is known whether they are right, and say what it is good for.

    It is fit, fit with correction, or unfit, by limits that the certificate states. `--out FILE.json` writes the
    certificate, for `memgauge models judge --certificate`.

    Example: memgauge models certify -p openai:gpt-4.1-mini --out certificate.json

    Parameters
    ----------
    dataset
        Whose questions the sentinels are built from.
    sentinels
        A file of sentinels instead: JSON lines with question, gold, answer, right, and perhaps abstain and kind.
    limit
        Questions that sentinels are built from; each gives about six.
    seed
        Of the choice of questions and words.
    """
    from memgauge.llm.judges.certify import certify as judge_known
    from memgauge.report.certificates import document

    judges, accesses = panel.open(models)
    known = _known(dataset, sentinels, limit, seed)
    if models.plan:
        requests = (judge.request(sentinel.item) for sentinel in known for judge in judges.judges)
        estimate = models.estimate(accesses, requests)
        return present(estimated(estimate), output)
    with working(f"judging {len(known)} sentinels"):
        certificate = judge_known(judges, known, workers=models.workers)
    silent = all(rate.invalid + rate.undecided + rate.cut >= rate.n for rate in certificate.rates)
    return present(document(certificate), output, name="certificate", code=FAILED if silent else OK)


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
    remedy = "Make one with `memgauge models certify --out FILE.json`."
    try:
        certificate = read_certificate(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}.", remedy) from error
    except ValidationError as error:
        misfit = first_misfit(error, "the file itself")
        raise ConfigError(f"{path} is no certificate, or one of an older version: {misfit}.", remedy) from error
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
