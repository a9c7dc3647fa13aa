"""The models that pip can bring: one folder each in ``models/``, with ``model.toml`` and its lock; or any file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.registry import unknown_name
from memgauge.systems.environments.places import environment_of
from memgauge.systems.environments.products import Product, read_described
from memgauge.systems.models.settings import EngineSettings
from memgauge.text.cards import prefixes_of

MODELS: Final = Path(__file__).parents[2] / "models"
KINDS: Final = ("embeddings", "chat")
FILES: Final = {".gguf": "smollm2", ".onnx": "minilm-int8"}
"""Of every kind of file that can be served, the model whose environment can run it."""


@dataclass(frozen=True, slots=True)
class ModelPackage(Product):
    """A model in one version: its packages, where its weights lie in them, and what its card says."""

    shelf: ClassVar[str] = "models"
    kind: str = ""
    """``embeddings`` or ``chat``."""
    weights: str = ""
    """Below the environment's packages, or the path of a file."""
    tokenizer: str = ""
    quantisation: str = ""
    query_prefix: str = ""
    document_prefix: str = ""
    longest: int = 0
    """Tokens of a text that it reads."""
    runs_in: str = ""
    """The model whose environment it runs in; its own if nothing is said."""


def model_names() -> tuple[str, ...]:
    """Name every model of the catalogue, in alphabetical order."""
    return tuple(sorted(path.parent.name.replace("_", "-") for path in MODELS.glob("*/model.toml")))


def local_model(name: str) -> ModelPackage:
    """Return the model called *name*, or the one in the GGUF or ONNX file at the path *name*.

    Raises:
        UnknownNameError: There is none.
        ConfigError: The file is absent.
    """
    if Path(name).suffix in FILES:
        return _in_file(Path(name).expanduser())
    if name not in model_names():
        raise unknown_name("model", name, model_names())
    return _listed(name)


def names_model(name: str) -> bool:
    """Whether *name* is one of the catalogue, or a file that can be served."""
    return name in model_names() or Path(name).suffix in FILES


def runner_of(model: ModelPackage) -> ModelPackage:
    """Return the model whose environment *model* runs in."""
    return _listed(model.runs_in) if model.runs_in else model


@cache
def _listed(name: str) -> ModelPackage:
    return read_described(MODELS / name.replace("-", "_") / "model.toml", ModelPackage)


def _in_file(path: Path) -> ModelPackage:
    if not path.is_file():
        raise ConfigError(
            f"There is no file {path}.", "Name a model by its path, or one of `memgauge models list`."
        )
    lent, before = _listed(FILES[path.suffix]), prefixes_of(path.stem)
    return ModelPackage(
        name=path.stem,
        summary=f"the file {path.name}",
        adapter=lent.adapter,
        module="",
        kind="",
        weights=str(path.absolute()),
        tokenizer=str(path.absolute().with_name("tokenizer.json")) if path.suffix == ".onnx" else "",
        query_prefix=before.query,
        document_prefix=before.document,
        runs_in=lent.name,
    )


def settings_of(model: ModelPackage) -> tuple[str, EngineSettings]:
    """Return the Python that runs *model*, and what it is told.

    Raises:
        MissingExtraError: Its environment is not installed.
        ConfigError: The environment cannot be used, or lacks the weights.
    """
    runner = runner_of(model)
    environment = environment_of(runner)
    if environment is None:
        raise MissingExtraError(
            f"{model.name} needs the environment of {runner.name}, which is not installed."
            if model.runs_in
            else f"The model {model.name} is not installed.",
            f"Run `memgauge models install {runner.name}`.",
        )
    packages = next(Path(environment.folder).glob("lib/python*/site-packages"), Path(environment.folder))
    for part in filter(None, (model.weights, model.tokenizer)):
        if not (packages / part).is_file():
            raise ConfigError(
                f"{packages / part} is not there.",
                _again(runner.name) if model.file else "Put tokenizer.json beside the model.",
            )
    return environment.interpreter, EngineSettings(
        model.name,
        model.adapter,
        str(packages / model.weights),
        str(packages / model.tokenizer) if model.tokenizer else "",
        model.quantisation,
        model.query_prefix,
        model.document_prefix,
        model.longest,
    )


def _again(name: str) -> str:
    return f"Install it again: memgauge models install {name} --again."
