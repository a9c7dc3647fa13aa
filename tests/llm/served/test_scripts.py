from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from memgauge.llm.served import FAMILIES, Use, asked_from, scripted_by
from memgauge.llm.served.scripts import purpose_of
from memgauge.llm.served.scripts.facts import dated, day_in, ends_something, nearest, section, slot_of, statements


def ask(text: str, system: str = "", schema: str = "", **more: Any) -> Any:
    """Ask the script, and return purpose and reply."""
    shape = {"type": "json_schema", "json_schema": {"name": schema, "schema": {"type": "object"}}}
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    asked = asked_from({"messages": messages, **({"response_format": shape} if schema else {}), **more})
    return purpose_of(asked), scripted_by(asked)


def test_sentences_are_statements_unless_they_ask() -> None:
    """Questions are left out, and lines end sentences too."""
    assert statements("I moved. Where to?\nTo Oslo!") == ["I moved.", "To Oslo!"]


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("My home city is Rome.", "my home city is"),
        ("alice: My home city is now Oslo.", "my home city is"),
        ("I live in Rome.", "i live in"),
        ("Ada's manager is Bob.", "ada's manager is"),
        ("It is late.", None),
    ],
)
def test_what_a_statement_sets_is_its_slot(text: str, slot: str | None) -> None:
    """Two statements with one slot cannot both hold."""
    assert slot_of(text) == slot


def test_small_helpers_hold_at_their_edges() -> None:
    """Days, ends, neighbours and sections where there are none."""
    assert dated("Yesterday we met.", date(2023, 5, 8)) == "on 2023-05-07 we met."
    assert dated("Yesterday we met.", None) == "Yesterday we met."
    assert day_in("no day") is None
    assert day_in("2023-13-40") is None
    assert ends_something("I no longer have the bicycle.")
    assert nearest("a red bicycle", ["the moon", "my red bicycle"]) == 1
    assert nearest("a red bicycle", []) is None
    assert section("a [b] c", "[", "]") == "b"
    assert not section("a", "[", "]")


def test_mem0_adds_with_the_day_that_it_is_told() -> None:
    """What is known already is not added again, and who said it is named."""
    prompt = (
        '## Existing Memories\n[{"id": "0", "text": "I like tea."}]\n\n## New Messages\n'
        "user: I like tea. I moved yesterday.\nassistant: I noted it.\n\n"
        "## Observation Date\n2023-05-08\n\n## Current Date\n2026-11-21\n"
    )
    purpose, said = ask(prompt)
    assert purpose == "mem0 extract"
    assert [(one["text"], one["attributed_to"]) for one in said["memory"]] == [
        ("I moved on 2023-05-07.", "user"),
        ("I noted it.", "assistant"),
    ]


def update(stored: list[dict[str, str]], *facts: str) -> list[dict[str, str]]:
    """Ask what to do with *facts*."""
    known = f"```\n{stored}\n```" if stored else "Current memory is empty."
    text = f'{known}\nThe new retrieved facts are:\n```\n{list(facts)}\n```\n"event"'
    purpose, said = ask(text)
    assert purpose == "mem0 update"
    return list(said["memory"])


def test_mem0_classic_adds_updates_deletes_and_leaves() -> None:
    """Each of the four events has its rule."""
    stored = [{"id": "0", "text": "My home city is Rome."}, {"id": "1", "text": "I bought a red bicycle."}]
    events = update(
        stored,
        "My home city is Oslo.",
        "I no longer have the red bicycle.",
        "I bought a red bicycle.",
        "I also like the red bicycle.",
        "I sing.",
    )
    assert [(one["id"], one["event"]) for one in events] == [
        ("0", "UPDATE"),
        ("1", "DELETE"),
        ("1", "NONE"),
        ("1", "UPDATE"),
        ("6", "ADD"),
    ]
    assert update([], "I sing.")[0]["event"] == "ADD"
    purpose, said = ask("Input:\nuser: I sing. Do you?\nassistant: I do.", 'Reply {"facts": []}')
    assert (purpose, said) == ("mem0 facts", {"facts": ["I sing."]})
    assert ask('new retrieved facts ```[broken``` "event"')[1] == {"memory": []}


def test_langmem_records_patches_and_removes() -> None:
    """A use of a tool for each statement that is new."""
    tools = [{"type": "function", "function": {"name": name}} for name in ("Memory", "PatchDoc", "RemoveDoc")]
    stored = '<instance id=a1>{"content": "My home city is Rome."}</instance>'
    stored += "<instance id=b2>I bought a red bicycle.</instance>"
    talk = "My home city is Oslo. I no longer have the red bicycle. I sing. I bought a red bicycle."
    rule = "=" * 10 + " Human Message " + "=" * 10
    purpose, uses = ask(f"{stored}<session_1>\n{rule}\n{talk}</session_1>", tools=tools)
    assert purpose == "langmem memories"
    assert [(use.tool, use.arguments.get("json_doc_id")) for use in uses] == [
        ("PatchDoc", "a1"),
        ("RemoveDoc", "b2"),
        ("Memory", None),
    ]
    assert ask("<session_1>Who?</session_1>", tools=tools)[1] == "Nothing new."
    assert ask("<session_1>I sing.</session_1>", tools=tools)[1] == [Use("Memory", {"content": "I sing."})]


def test_graphs_get_names_facts_and_contradictions() -> None:
    """A new value of a slot stands against the old one; the same words again are the same fact."""
    message = "<CURRENT MESSAGE>\nAda: My home city is Oslo.\n</CURRENT MESSAGE>"
    assert [one["name"] for one in ask(message, schema="ExtractedEntities")[1]["extracted_entities"]] == [
        "Ada",
        "Oslo",
    ]
    underscored = message.replace(" MESSAGE", "_MESSAGE")
    stamp = "<REFERENCE_TIME>\n2023-05-08 10:00:00+00:00  # UTC\n</REFERENCE_TIME>"
    (edge,) = ask(underscored + stamp, schema="ExtractedEdges")[1]["edges"]
    assert (edge["source_entity_name"], edge["fact"], edge["valid_at"]) == (
        "Ada",
        "My home city is Oslo.",
        "2023-05-08T10:00:00+00:00",
    )
    facts = "[{'idx': 0, 'fact': 'My home city is Rome.'}, {'idx': 1, 'fact': 'I sing.'}]"
    both = (
        f"<EXISTING FACTS>{facts}</EXISTING FACTS><FACT INVALIDATION CANDIDATES>[]</FACT INVALIDATION CANDIDATES>"
    )
    said = ask(f"{both}<NEW FACT>My home city is Oslo.</NEW FACT>", schema="EdgeDuplicate")[1]
    assert said == {"duplicate_facts": [], "contradicted_facts": [0]}
    said = ask(f"{both}<NEW FACT>I sing.</NEW FACT>", schema="EdgeDuplicate")[1]
    assert said == {"duplicate_facts": [1], "contradicted_facts": []}
    spelled = both.replace(facts, json.dumps([{"idx": 3, "fact": "I sing."}]))
    assert ask(f"{spelled}<NEW FACT>I sing.</NEW FACT>", schema="EdgeDuplicate")[1]["duplicate_facts"] == [3]
    assert ask("nothing", schema="ExtractedEntities")[1]["extracted_entities"][0]["name"] == "somebody"


def test_a_chunk_becomes_a_graph_and_a_summary() -> None:
    """Every edge joins nodes that are there."""
    graph = ask("I sing in Oslo.", schema="KnowledgeGraph")[1]
    assert {edge["target_node_id"] for edge in graph["edges"]} <= {node["id"] for node in graph["nodes"]}
    assert ask("I sing in Oslo.", schema="SummarizedContent")[1]["summary"] == "I sing in Oslo."


def test_pages_become_themes_profiles_and_knowledge() -> None:
    """MemoryOS gets what its parsers read."""
    talk = "User: I sing. (Timestamp: 2023-05-08 10:00:00)\nAssistant: I dance. (Timestamp: 2023-05-08 10:00:00)"
    knowledge = ask(f"{talk}\n【User Private Data】", "a knowledge extraction assistant")[1]
    assert knowledge == "【User Private Data】\n- I sing.\n【Assistant Knowledge】\n- I dance."
    assert "I sing." in ask(talk, "a professional user preference analysis assistant")[1]
    assert json.loads(ask("User: garden flowers\nAssistant: yes", "expert in analyzing dialogue topics")[1])[0][
        "theme"
    ]
    assert ask("User: I sing.", "a conversation meta-summary updater")[1] == "I sing."
    assert ask("?", "a conversation continuity detector")[1] == "false"


def test_notes_and_items_have_their_shapes() -> None:
    """A-MEM gets a context for every neighbour, MemOS a list of items."""
    said = ask("memory evolution agent\ncontent: garden flowers\nThe number of neighbors is 3.")[1]
    assert said["should_evolve"]
    assert len(said["new_context_neighborhood"]) == 3
    items = ask('"memory list"\nConversation:\nuser:I sing. Do you?\n\nYour Output:')[1]
    assert [one["value"] for one in items["memory list"]] == ["I sing."]


def test_no_two_families_have_one_name() -> None:
    """The ledger tells them apart."""
    names = [family.purpose for family in FAMILIES]
    assert len(set(names)) == len(names)


def test_hindsight_gets_facts_of_a_chunk() -> None:
    """As they were said, with the day of the event; also where it is asked a second time."""
    prompt = (
        "Extract facts from the following chunk.\n\nChunk: 1/1\nEvent Date: Monday, May 08, 2023 "
        "(2023-05-08T10:00:00+00:00)\nContext: none\n\nContent:\nAda: I moved yesterday. Where to?\n"
        "Return valid json only."
    )
    purpose, said = ask(prompt)
    assert purpose == "hindsight facts"
    assert [fact["what"] for fact in said["facts"]] == ["Ada: I moved on 2023-05-07."]
    assert ask(f"{prompt}\n\nReply again.")[1] == said


def test_hindsight_observes_what_has_one_value() -> None:
    """Anew, or in the place of the former value; what has none is not observed."""
    old, new, bees = (f"00000000-0000-0000-0000-00000000000{n}" for n in range(3))

    def prompted(observations: str) -> dict[str, Any]:
        facts = f"[{new}] Ada: My home city is Rome. (mentioned_at=2023-05-08)\n[{bees}] Ada: I keep bees."
        text = f"## INPUT\n\n### New facts\n\n{facts}\n\n### Existing observations\n\n{observations}"
        purpose, said = ask(text, "### New facts\n\n### Existing observations\n\nAn example.")
        assert purpose == "hindsight observations"
        return dict(said)

    first = prompted("[]")
    assert [(one["text"], one["source_fact_ids"]) for one in first["creates"]] == [
        ("Ada: My home city is Rome.", [new])
    ]
    known = json.dumps([{"id": old, "text": "Ada: My home city is Oslo.", "proof_count": 1}])
    second = prompted(known)
    assert (second["creates"], second["updates"][0]["observation_id"]) == ([], old)
    assert prompted("[broken]") == first
