"""What memgauge can do where more than its core is there: every feature, how it is found, what adds it."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from memgauge.cli import installing
from memgauge.errors import DataError, UserError
from memgauge.extras import extra_named
from memgauge.registry import unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.kind import DatasetKind
    from memgauge.systems.environments.products import Product


@dataclass(frozen=True)
class FeatureStatus:
    """One feature, and whether it is here."""

    name: str
    group: str
    what: str
    """What it is for."""
    here: bool
    found: str = ""
    """Where, in which version, or what is wrong with it; never the value of a key."""
    add: str = ""
    """The command that adds it; empty where it is here."""


EXTRAS = {
    "cluster": ("runs on several machines", ("ray",)),
    "dense": ("search by meaning: dense, hybrid", ("onnx", "onnxruntime", "safetensors", "tokenizers")),
    "golden": ("golden explore: random programs, shrunk by Hypothesis", ("hypothesis",)),
    "llm": ("models: answer --model, judge, pipeline:model=…", ("pydantic_ai",)),
    "track": ("track serve: the study's tools for agents from outside", ("mcp", "starlette", "uvicorn")),
    "web": ("view: runs in a browser", ("starlette", "uvicorn")),
}
"""Of every extra, what it is for and the modules by which it is known."""

PROGRAMS = {
    "bubblewrap": (
        ("bwrap",),
        "bubblewrap",
        "a cage for products and for what agents run (track doctor tries it)",
    ),
    "chromium": (
        ("chromium", "chromium-browser", "google-chrome"),
        "chromium",
        "the browser tests of make test",
    ),
    "git": (("git",), "git", "track's repositories, golden's --build"),
    "ssh-keygen": (("ssh-keygen",), "openssh-client", "signatures: runs sign, verify --signers"),
    "node": (("node",), "nodejs", "adapters in JavaScript, products that come from npm"),
}
"""Of every program, its names on the path, the package that brings it, and what it is for."""

KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GOOGLE_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openai-address": "OPENAI_BASE_URL",
    "openrouter": "OPENROUTER_API_KEY",
}
"""Variables that models are asked with. Only whether they are set is looked at."""
ALWAYS = ("openai", "openai-address")
"""Keys that are named even where they are not set: one address serves most models, local ones too."""
OTHER_PYTHON = "3.12"


def findings() -> Iterator[FeatureStatus]:
    """Look for every feature, group by group."""
    yield from (_extra(name) for name in EXTRAS)
    yield _weights()
    yield from (_program(name) for name in PROGRAMS)
    yield _other_python()
    yield from _data()
    yield from (_key(name) for name in KEYS)
    yield from _models()
    yield from _products()


def wanted(name: str, features: tuple[FeatureStatus, ...]) -> FeatureStatus:
    """Return the finding called *name*.

    Raises:
        UnknownNameError: There is no such feature.
    """
    for feature in features:
        if feature.name == name:
            return feature
    raise unknown_name("feature", name, [feature.name for feature in features])


def _extra(name: str) -> FeatureStatus:
    what, modules = EXTRAS[name]
    absent = [module for module in modules if find_spec(module) is None]
    partly = f"without {', '.join(absent)}" if 0 < len(absent) < len(modules) else ""
    return FeatureStatus(name, "Extras", what, not absent, partly, extra_named(name) if absent else "")


def _weights() -> FeatureStatus:
    from memgauge.retrieval.minilm import find_weights

    what = "weights of all-MiniLM-L6-v2, for dense and hybrid"
    try:
        folder = find_weights()
    except UserError as error:
        chosen = "MEMGAUGE_MINILM" in os.environ
        if not chosen and (model := next(each for each in _models() if each.name == "model-minilm")).here:
            return replace(model, name="minilm", group="Extras", what=what)
        add = "unset MEMGAUGE_MINILM" if chosen else f"{installing.me()} models install minilm"
        return FeatureStatus("minilm", "Extras", what, here=False, found=error.what if chosen else "", add=add)
    return FeatureStatus("minilm", "Extras", what, here=True, found=str(folder))


def _program(name: str) -> FeatureStatus:
    names, package, what = PROGRAMS[name]
    path = next(filter(None, map(shutil.which, names)), None)
    add = "" if path else installing.package(package)
    return FeatureStatus(name, "Programs", what, path is not None, path or "", add)


def _other_python() -> FeatureStatus:
    """Look for a Python that most products run on, whatever this one is."""
    from memgauge.systems.environments.pythons import find_python

    name = f"python{OTHER_PYTHON}"
    what = "products that do not run on every Python (systems install)"
    try:
        path, version = find_python(f"=={OTHER_PYTHON}", "A product")
    except UserError:
        return FeatureStatus(name, "Programs", what, here=False, add=installing.python(OTHER_PYTHON))
    return FeatureStatus(name, "Programs", what, here=True, found=f"{version}, {path}")


def _data() -> Iterator[FeatureStatus]:
    from memgauge.datasets.catalogue import DATASETS

    kinds = map(DATASETS.get, DATASETS.names())
    yield from (_dataset(kind) for kind in kinds if kind.files)


def _dataset(kind: DatasetKind) -> FeatureStatus:
    from memgauge.datasets.files import locate

    here, away = [], []
    for spec in kind.files:
        try:
            locate(kind.name, spec)
        except DataError:
            away.append(spec.variant or spec.name)
        else:
            here.append(spec.variant or spec.name)
    variants = ", ".join(dict.fromkeys(here))
    if here and away:
        variants = f"{variants}; not {', '.join(dict.fromkeys(away))}"
    add = "" if here else f"{installing.me()} data fetch {kind.name}"
    return FeatureStatus(
        kind.name, "Data", f"{kind.summary.rstrip('.')} ({kind.licence})", bool(here), variants, add
    )


def _key(name: str) -> FeatureStatus:
    variable = KEYS[name]
    here = bool(os.environ.get(variable))
    what = "an OpenAI-compatible address, local or not" if name == "openai-address" else f"models of {name}"
    add = "" if here else f"export {variable}=…"
    return FeatureStatus(name, "Keys", f"{what}: {variable}", here, "is set" if here else "", add)


def _models() -> Iterator[FeatureStatus]:
    """Look for local models; weights of MiniLM that this process reads stand among the extras too."""
    from memgauge.systems.models.catalogue import local_model, model_names, runner_of

    for model in map(local_model, model_names()):
        status = _installed(runner_of(model), "")
        yield replace(status, name=f"model-{model.name}", group="Models", what=model.summary)


def _products() -> Iterator[FeatureStatus]:
    from memgauge.systems.environments.opening import lives_here
    from memgauge.systems.environments.products import product, product_names

    for offered in map(product, product_names()):
        yield _installed(offered, f"in {sys.prefix}" if lives_here(offered) else "")


def _installed(offered: Product, elsewhere: str) -> FeatureStatus:
    """Look for the environment of a product or a model, which may also be *elsewhere*."""
    from memgauge.systems.environments.places import environment_of

    feature = FeatureStatus(offered.name, "Products", offered.summary, here=True, found=elsewhere)
    add = f"{installing.me()} {offered.shelf} install {offered.name}"
    try:
        environment = environment_of(offered)
    except UserError as error:
        return replace(feature, here=False, found=error.what, add=f"{add} --again")
    if environment is not None:
        return replace(feature, found=f"{offered.version}, {environment.folder}")
    return feature if elsewhere else replace(feature, here=False, add=add)
