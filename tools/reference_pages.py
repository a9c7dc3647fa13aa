"""The documentation's reference pages, written from the code: commands, measures, schemas, protocol, figures."""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cyclopts import App
    from pydantic import BaseModel


def pages(*, quick: bool = True) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the path of every page that is generated, and what writes it."""
    yield "reference/cli.md", commands
    yield "reference/measures.md", measures
    yield "reference/schemas.md", schemas
    yield "reference/protocol.md", protocol
    yield "reproduction.md", lambda: reproduction(quick=quick)


def commands() -> str:
    """Write the help of every command."""
    from memgauge.cli import app

    parts = ["# Commands\n", "What `--help` prints, of every command.\n"]
    for words in _walk(app, ()):
        title = " ".join(("memgauge", *words))
        parts.append(f"{'#' * min(2 + max(len(words) - 1, 0), 4)} {title}\n\n```text\n{_help(app, words)}\n```\n")
    return "\n".join(parts)


def _walk(app: App, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    for name in app:
        if not name.startswith("-"):
            yield from _walk(app[name], (*words, name))


def _help(app: App, words: Sequence[str]) -> str:
    from rich.console import Console

    screen = io.StringIO()
    app.help_print(list(words), console=Console(file=screen, width=80, color_system=None))
    return screen.getvalue().partition("Exit codes:")[0].strip()


def measures() -> str:
    """Write the registry's table of every measure, and every key of a contract."""
    from memgauge.report.measures import document
    from memgauge.show.markdown import markdown

    return "\n".join(
        [
            markdown(document(), level=1),
            "A measure has a text form: `nDCG@10`, `Precision(conv=returned)@5`.\n",
            "Packages add their own under the entry point `memgauge.measures`.\n",
            "## Contracts\n",
            "What counts, as `key=value,…`; every key left out has its default, which is in bold.\n",
            _table(("key", "value", "means"), list(_contract())),
        ]
    )


def _plain(text: str) -> str:
    """Return a docstring as Markdown, in one line."""
    return re.sub(r":\w+:`[~.\w]*?(\w+)`|``([^`]+)``", r"`\1\2`", " ".join(text.split()))


def _contract() -> Iterator[tuple[str, str, str]]:
    from memgauge.records import Contract

    for part in str(Contract()).split(","):
        key, _, default = part.partition("=")
        kind = type(getattr(Contract(), key, ""))
        meanings = _attributes(kind) if hasattr(kind, "__members__") else {}
        if not meanings:
            yield f"`{key}`", f"**`{default}`**", ""
        for value, says in meanings.items():
            yield f"`{key}`", f"**`{value}`**" if value == default else f"`{value}`", says


def _attributes(kind: type) -> dict[str, str]:
    """Return what the source says below each member of an enumeration."""
    body = ast.parse(inspect.cleandoc("\n" + inspect.getsource(kind))).body[0]
    if not isinstance(body, ast.ClassDef):
        return {}
    meanings: dict[str, str] = {}
    last = ""
    for node in body.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            last = str(node.value.value)
            meanings[last] = ""
        elif last and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            meanings[last] = " ".join(str(node.value.value).split())
    return meanings


SCHEMAS = {
    "`manifest.json` of a run": "memgauge.runs.record.manifest:Manifest",
    "`layer.json` of a layer": "memgauge.runs.layers.layer:LayerManifest",
    "A line of `turns.jsonl`": "memgauge.datasets.own.schema:TurnEntry",
    "A line of `questions.jsonl`": "memgauge.datasets.own.schema:QuestionEntry",
    "A line of `truth.jsonl`": "memgauge.datasets.own.schema:FactEntry",
    "`manifest.json` of a folder of data": "memgauge.datasets.own.manifest:OwnManifest",
    "A suite, `*.memsuite.yaml`": "memgauge.studies.golden.scenario:Suite",
}
"""What is written and read, by the model that checks it."""


def schemas() -> str:
    """Write the fields of every file that others may write or read."""
    parts = ["# File schemas\n", "Fields without a default are required. A field that is not known is refused.\n"]
    for title, target in SCHEMAS.items():
        module, _, name = target.partition(":")
        model: type[BaseModel] = getattr(import_module(module), name)
        schema = model.model_json_schema(by_alias=True)
        parts.append(f"## {title}\n\n{schema.get('description', '')}\n")
        parts.append(_fields(schema))
        for part, inner in sorted(schema.get("$defs", {}).items()):
            if inner.get("properties"):
                parts.append(f"### {part}\n\n{inner.get('description', '')}\n\n{_fields(inner)}")
    parts.append(_tables())
    return "\n".join(parts)


def _fields(schema: Mapping[str, Any]) -> str:
    required = set(schema.get("required", ()))
    rows = [
        (
            f"`{name}`",
            _type(field),
            "required" if name in required else f"`{json.dumps(field['default'])}`" if "default" in field else "",
        )
        for name, field in schema.get("properties", {}).items()
    ]
    return _table(("field", "type", "default"), rows)


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"mapping to {_type(schema['additionalProperties'])}"
    return str(schema.get("format") or schema.get("type") or "any")


def _tables() -> str:
    """Write the columns of a run's tables, which `memgauge runs sql` queries."""
    import tempfile

    import duckdb

    from memgauge import execute, plan

    parts = [
        "## Tables of a run\n",
        "`memgauge runs sql` queries them; all can be rebuilt from `journal.jsonl`.\n",
    ]
    with tempfile.TemporaryDirectory() as folder:
        (run,) = execute(plan(["synthetic:tiny"], ["recency"]), Path(folder))
        for table in sorted(Path(run).glob("*.parquet")):
            with duckdb.connect() as database:
                columns = database.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(table)]).fetchall()
            rows = [(f"`{name}`", kind) for name, kind, *_ in columns]
            parts.append(f"### {table.stem}\n\n" + _table(("column", "type"), rows))
    return "\n".join(parts)


def protocol() -> str:
    """Write what a memory system implements, and the values that it exchanges."""
    from memgauge import records
    from memgauge.systems import protocol as seam

    parts = ["# The protocol\n", *(f"{_plain(part)}\n" for part in (inspect.getdoc(seam) or "").split("\n\n"))]
    for name, thing in vars(seam).items():
        if inspect.isclass(thing) and thing.__module__ == seam.__name__:
            parts.append(_class(name, thing))
    parts.append("# What is exchanged\n")
    parts += [
        _class(name, getattr(records, name))
        for name in ("Scope", "Turn", "Memory", "Hit", "Ranking", "Change", "Receipt")
    ]
    return "\n".join(parts)


def _class(name: str, thing: type) -> str:
    """Write a class as its source without docstrings, and its sentence above."""
    says = _plain(inspect.getdoc(thing) or "")
    tree = ast.parse(inspect.getsource(thing))
    return f"## {name}\n\n{says}\n\n```python\n{_bare(tree)}\n```\n"


def _bare(tree: ast.Module) -> str:
    """Return the source of a class with each attribute's or method's own sentence as a comment."""
    (body,) = tree.body
    if not isinstance(body, ast.ClassDef):
        return ""
    lines = [f"class {body.name}({', '.join(map(ast.unparse, body.bases))}):".replace("():", ":")]
    for node in body.body:
        if isinstance(node, ast.Expr):
            if len(lines) > 1 and isinstance(node.value, ast.Constant):
                lines[-1] += f"  # {_plain(str(node.value.value))}"
        elif isinstance(node, ast.FunctionDef):
            sentence = _plain((ast.get_docstring(node) or "").partition("\n\n")[0])
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            lines += ["", f"    def {node.name}({ast.unparse(node.args)}){returns}: ...  # {sentence}"]
        else:
            lines.append(f"    {ast.unparse(node)}")
    return "\n".join(lines[:2] if len(lines) == 2 and not lines[1] else lines).replace(":\n\n", ":\n", 1)


def reproduction(*, quick: bool) -> str:
    """Recompute the figures that this project claims and write what came out."""
    from memgauge.reproduce import reproduce, sections

    rows = reproduce((), quick_only=quick)
    shown: dict[str, list[tuple[str, str, str, str, str]]] = {}
    for row in rows:
        got = "" if row.measured is None else f"{row.measured:.6g}"
        shown.setdefault(row.section, []).append(
            (row.name, row.claim, got, str(row.status), _said(row.reason) or row.source)
        )
    counts = {
        status: sum(str(row.status) == status for row in rows)
        for status in sorted({str(row.status) for row in rows})
    }
    parts = [
        "# Reproduction\n",
        "Figures that this project claims, with their sources, recomputed when these pages were built.\n",
        "A SKIP names what was missing on the machine that built them.\n",
        ", ".join(f"{count} {status}" for status, count in counts.items()) + ".\n",
    ]
    left = [
        f"`{section.name}` ({len(section.figures)} figures)" for section in sections() if section.name not in shown
    ]
    if left:
        parts.append(
            f"Not recomputed here, because they take longer: {', '.join(left)}.\n`make docs REPRODUCE=all` "
            "computes them for this page, `memgauge reproduce SECTION` on the terminal.\n"
        )
    for section, figures in shown.items():
        parts.append(
            f"## {section}\n\n"
            + _table(("figure", "expected", "measured", "status", "source, or why not"), figures)
        )
    return "\n".join(parts)


def _said(reason: str) -> str:
    """Return a reason without the folders of the machine that built the pages."""
    return re.sub(r" Looked at: .*?(?=\. |$)\.?", "", reason)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return (
        "\n".join("| " + " | ".join(str(cell).replace("\n", " ") for cell in line) + " |" for line in lines) + "\n"
    )
