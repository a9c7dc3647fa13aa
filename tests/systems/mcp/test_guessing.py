"""Descriptions guessed from a server's tools, and descriptions that do not fit them."""

from __future__ import annotations

import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, ContractBreach, UserError
from memgauge.records import Scope, Turn, Verdict
from memgauge.systems.conformance import check
from memgauge.systems.mcp.declared import Mcp
from memgauge.systems.mcp.guessing import description, guess
from memgauge.systems.mcp.offers import ToolOffer
from systems.mcp.diary_server import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

SERVER = Path(__file__).parent / "diary_server.py"
START = {"command": [sys.executable, str(SERVER)]}
OFFERS = [ToolOffer.of(tool) for tool in TOOLS]
KNOWN = {
    'result = ""': 'result = "data.matches"',
    'id = "id"': 'id = "number"',
    'text = "text"': 'text = "said.details"',
}
"""What a look at a reply tells, and a list of tools does not."""


@pytest.fixture
def diary(tmp_path: Path) -> Callable[..., str]:
    """Write the guessed description with what is known, changed as a test wants it."""

    def write(**changes: str) -> str:
        text = description("diary", guess(OFFERS), START)
        for old, new in KNOWN.items():
            text = text.replace(old, new)
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "diary.toml").write_text(text, "utf-8")
        return str(tmp_path / "diary.toml")

    return write


def test_tools_are_told_by_names_and_fields() -> None:
    """Nested fields, references and options of a schema are followed; what nobody knows is marked."""
    guessed = guess(OFFERS)
    assert {operation: offer.name for operation, offer in guessed.tools.items()} == {
        "add": "rememberThis",
        "search": "recall",
        "list": "browse_entries",
    }
    text = description("diary", guessed, START)
    ops = tomllib.loads(text)["ops"]
    assert ops["add"]["arguments"] == {"entry": {"details": "{text}", "mood": "calm"}}
    assert ops["search"]["arguments"] == {"prompt": "{query}", "top_k": "{k}"}
    assert "# guess" in text


@pytest.mark.slow
def test_a_guess_that_was_looked_at_conforms(diary: Callable[..., str]) -> None:
    """Also of a server that gives ids of its own: lineage then comes from comparing what is listed."""
    file = diary()
    report = check(lambda: Mcp(file))
    assert [each for each in report.checks if each.verdict in {Verdict.FAIL, Verdict.ERROR}] == []
    with closing(Mcp(file)) as system:
        assert not system.capabilities().declares_sources
        assert system.ingest([Turn("t1", "Ada", "Walnuts.", "s")], Scope("ada")).changes is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({'"recall"': '"recal"'}, ["diary.toml, line 14", "ops.search", "Did you mean recall", "rememberThis"]),
        ({'mood = "calm"': 'mod = "calm"'}, ["line 9", "'mod', which there is not", "entry: "]),
        ({', mood = "calm"': ""}, ["arguments.entry lacks 'mood'", "rememberThis takes"]),
        ({"{query}": "{question}"}, ["ops.search has no {question}", "{k}, {query}, {scope}"]),
    ],
)
def test_what_does_not_fit_is_said_at_opening(
    diary: Callable[..., str], changes: dict[str, str], words: list[str]
) -> None:
    """With the file, the operation, what is wrong with it and what the server offers."""
    with pytest.raises(UserError) as raised:
        Mcp(diary(**changes))
    assert all(word in str(raised.value) for word in words), str(raised.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({'result = "data.matches"': 'result = "rows"'}, "ops.list: result 'rows' .* lists are at 'data.matches'"),
        ({"said.details": "detail"}, "row.text 'detail' is not in a row, which has number, said"),
    ],
)
def test_a_path_that_is_not_in_the_reply_is_a_failure(
    diary: Callable[..., str], changes: dict[str, str], words: str
) -> None:
    """Not an empty store: who wrote something finds out where it stands."""
    with closing(Mcp(diary(**changes))) as system:
        assert list(system.dump(Scope("ada"))) == []
        system.ingest([Turn("t1", "Ada", "Walnuts.", "s")], Scope("ada"))
        with pytest.raises(ContractBreach, match=words):
            list(system.dump(Scope("ada")))


def test_a_server_without_a_tool_for_what_is_needed_is_refused() -> None:
    """What is missing is named."""
    with pytest.raises(ConfigError, match="no tool that could add, search, list"):
        description("weather", guess(OFFERS[3:]), START)


INJECTING = 'x\n[ops.delete]\ntool = "wipe"\n#'
NAMES = st.sampled_from(
    ["id", "text", "body", "query", "limit", "user", "kind", "at", "a.b", 'q"t', INJECTING, "\x7f"]
) | st.text(max_size=6)
SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.builds(lambda kind: {"type": kind}, st.sampled_from(["string", "integer", "boolean", "number", "null"])),
    lambda below: st.one_of(
        st.builds(
            lambda fields: {"type": "object", "properties": fields, "required": list(fields)},
            st.dictionaries(NAMES, below, max_size=3),
        ),
        st.builds(lambda items: {"type": "array", "items": items}, below),
    ),
    max_leaves=8,
)


@given(st.lists(SCHEMAS, min_size=3, max_size=3), SCHEMAS)
def test_whatever_a_server_lists_the_description_can_be_read(
    takes: list[dict[str, Any]], gives: dict[str, Any]
) -> None:
    """Names and texts of a stranger are quoted."""
    names = ("add_note", "search_notes\n[ops.x]", "list_notes\ud83d \U0001f600")
    offers = [
        ToolOffer.of({"name": name, "description": 'say "#\n', "inputSchema": schema, "outputSchema": gives})
        for name, schema in zip(names, takes, strict=True)
    ]
    content = tomllib.loads(description("notes", guess(offers), START))
    assert set(content["ops"]) == {"add", "search", "list"}
    told = {operation: step["tool"] for operation, step in content["ops"].items()}
    assert set(told.values()) == {name.encode("utf-8", "replace").decode() for name in names}
    assert set(content) == {"name", *START, "env", "ops", "row"}
