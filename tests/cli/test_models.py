"""Answers and verdicts of language models, against a real OpenAI-compatible server on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.model_server import KEY, answer, bodies, completion, failure, serve

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

    from support.cli import Said


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test the same key and no address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def model(asked: Asked) -> Response:
    """Answer with the first memory shown; judge by whether reply and accepted answer share a word."""
    text = json.loads(asked.get_data())["messages"][-1]["content"]
    if "<gold-" not in text and "<answer-" not in text:
        shown = re.search(r"\[1\] (?:<[\w-]+>\s*)?(.*)", text)  # behind the fence of its own
        return answer(completion(shown[1] if shown else "I don't know"))
    gold, said = (_part(text, name) for name in ("gold", "answer"))
    verdict = "CORRECT" if set(gold.split()) & set(said.split()) else "INCORRECT"
    return answer(completion(json.dumps({"reason": "words", "verdict": verdict})))


def _part(text: str, name: str) -> str:
    found = re.search(rf"<{name}-\w+>\n(.*?)\n</{name}-", text, re.DOTALL)
    return found[1].lower() if found else ""


def options(url: str, out: Path, *more: object) -> tuple[object, ...]:
    """Ask the server, and keep replies beside the runs."""
    return ("--base-url", url, "--cassette", out.parent / "replies.sqlite", *more)


def test_a_model_answers_and_a_model_judges(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """The whole path over HTTP; the second time, and with the server gone, everything comes from the record."""
    url = serve(httpserver, model)
    said = memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out))
    assert said.code == 0, said.err
    assert "openai:tiny answer-neutral-1 retrieved" in said.out
    judged = memgauge("models", "judge", out, "-p", "openai:tiny", *options(url, out))
    assert judged.code == 0, judged.err
    assert "Judge: openai:tiny; uncertified." in judged.out
    staged = memgauge("models", "judge", out, "-p", "openai:tiny", "--stages", *options(url, out))
    assert "used but judged wrong" in staged.out
    stages = memgauge("models", "judge", out, "-p", "openai:tiny", "--stages", *options(url, out), "--json").data[
        "stages"
    ][0]
    scored = memgauge("models", "judge", out, "-p", "openai:tiny", *options(url, out), "--json").data["judged"][0][
        "scores"
    ][0]
    assert sum(stages.values()) == scored["denominator"]["scored"]
    assert "in memories" not in judged.out
    calls = len(httpserver.log)
    first = memgauge("models", "judge", out, "-p", "openai:tiny", *options(url, out), "--json").data
    for layer in (out.rglob("layers"), ()):
        for folder in layer:
            _remove(folder)
    memgauge(
        "models",
        "answer",
        out,
        "--model",
        "openai:tiny",
        *options("http://127.0.0.1:9/v1", out, "--mode", "replay"),
    )
    again = memgauge(
        "models",
        "judge",
        out,
        "-p",
        "openai:tiny",
        *options("http://127.0.0.1:9/v1", out, "--mode", "replay"),
        "--json",
    ).data
    assert again == first
    assert len(httpserver.log) == calls
    assert not [path for path in out.parent.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_failed_answers_that_were_judged_say_why_they_stay(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Answers under verdicts are not asked for again, and whoever tries reads what to do."""
    url = serve(httpserver, failure(400), model)
    asking = ("models", "answer", out, "--model", "openai:tiny", *options(url, out, "--workers", "1"))
    assert "stay as they are" not in memgauge(*asking).err
    memgauge("models", "judge", out, "-p", "openai:tiny", *options(url, out))
    said = memgauge(*asking)
    assert said.code == 1
    assert "answers that failed stay as they are, since" in " ".join(said.err.split())


def test_what_another_server_answered_is_told(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """One name may stand for two models: replies of the first are used for the second, and that is said."""
    url = serve(httpserver, model)
    asking = ("models", "answer", out, "--model", "openai:tiny")
    assert "replies" not in memgauge(*asking, *options(url, out)).err
    elsewhere = options("http://127.0.0.1:9/v1", out)
    kept = memgauge(*asking, *elsewhere)
    (layers,) = out.rglob("layers")
    assert "Nothing was asked: these answers were kept before, in" in kept.err
    assert layers.name in kept.err
    _remove(layers)
    used = " ".join(memgauge(*asking, *elsewhere).err.split())
    there, here = url.split("/")[2], "127.0.0.1:9"
    assert f"holds replies of openai:tiny from {there}, and they are used although {here} is named now" in used


def test_a_model_that_does_not_answer_is_waited_for_in_words(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits for a server that is busy reads why, once."""
    monkeypatch.setattr("time.sleep", lambda _: None)
    url = serve(httpserver, failure(429, "busy", headers={"Retry-After": "0"}), model)
    said = memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out, "--workers", "1"))
    assert said.code == 0, said.err
    assert " ".join(said.err.split()).count("made up to 5 times, with waits") == 1


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


def test_the_same_prompt_is_used_for_every_system_and_nothing_names_it(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """No request tells which memory is under test."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "recency", "--executor", "inline", "--out", out)
    url = serve(httpserver, model)
    memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out))
    memgauge("models", "judge", out, "-p", "openai:tiny", *options(url, out))
    sent = bodies(httpserver)
    assert len({body["messages"][0]["content"] for body in sent}) == 3  # one to answer, two rubrics
    assert not any(name in json.dumps(sent) for name in ("bm25", "recency"))


def test_what_fails_is_counted_and_never_an_answer(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """A refused, a cut and an unreadable reply leave errors; the rest is scored."""
    replies = [answer(completion("I would rather", "content_filter")), answer(completion("Pa", "length"))]
    url = serve(httpserver, *replies, model)
    data = memgauge(
        "models", "answer", out, "--model", "openai:tiny", *options(url, out, "--workers", "1"), "--json"
    ).data
    (entry,) = data["answers"]
    rows = [json.loads(line) for line in (Path(entry["folder"]) / "rows.jsonl").read_text().splitlines()]
    failed = [row for row in rows if row["outcome"] == "error"]
    assert [row["text"] for row in failed] == [None, None]
    assert [row["reason"].split()[-1] for row in failed] == ["refusal", "length"]
    assert all(score["value"] is None for score in entry["scores"])
    assert entry["scores"][0]["reason"].startswith("1 of ")
    assert entry["scores"][0]["denominator"]["excluded"]["answer cut off"] == 1
    said = memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out))
    assert "bm25: no mean is given: 1 of" in said.out


def test_answers_that_are_not_there_are_told_from_none_at_all(memgauge: Callable[..., Said], out: Path) -> None:
    """Whoever mistypes a name sees those that there are."""
    asking = ("models", "judge", out, "-p", "openai:tiny", "--base-url", "http://127.0.0.1:9/v1")
    assert "There are no answers to judge" in memgauge(*asking).err
    memgauge("models", "answer", out, "--answerer", "first")
    said = memgauge(*asking, "--answers", "frist")
    assert said.code == 2
    assert "No answers here are called 'frist'" in said.err
    assert "first retrieved" in said.err


def test_a_judge_that_is_down_ends_with_1_and_is_asked_again(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """A call that failed is no verdict, and the same command makes it again."""
    memgauge("models", "answer", out, "--answerer", "first")
    outage = [failure(400)]
    url = serve(httpserver, lambda asked: outage[0] if outage else model(asked))
    asking = ("models", "judge", out, "-p", "openai:tiny", *options(url, out), "--json")
    down = memgauge(*asking)
    assert down.code == 1
    outage.clear()
    up = memgauge(*asking)
    assert up.code == 0
    excluded = [found.data["judged"][0]["scores"][0]["denominator"]["excluded"] for found in (down, up)]
    assert excluded[0]["verdict invalid"] > 0
    assert "verdict invalid" not in excluded[1]


def test_judges_that_say_nothing_readable_are_invalid(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Prose is neither right nor wrong; two judges are compared vote by vote."""
    memgauge("models", "answer", out, "--answerer", "first")
    url = serve(httpserver, lambda asked: answer(completion("Looks fine to me.")))
    found = memgauge(
        "models", "judge", out, "-p", "openai:tiny", "--repeats", "2", *options(url, out), "--json"
    ).data
    (entry,) = found["judged"]
    excluded = entry["scores"][0]["denominator"]["excluded"]
    assert excluded["verdict invalid"] == sum(entry["by_judge"]["openai:tiny"].values())
    assert set(entry["by_judge"]) == {"openai:tiny", "openai:tiny#1"}
    assert all(set(grades) == {"invalid"} for grades in entry["by_judge"].values())
    assert entry["flips"][0]["both"] == 0
    assert found["noise"]["judges"] == []


def test_repeats_show_the_noise_of_a_judge(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """A judge that judges alike twice has none, and runs with other seeds are averaged."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "bm25", "--seed", "1", "--executor", "inline", "--out", out)
    memgauge("models", "answer", out, "--answerer", "first")
    url = serve(httpserver, model)
    said = memgauge("models", "judge", out, "-p", "openai:tiny", "--repeats", "2", *options(url, out))
    assert "openai:tiny, judging 2 times: standard deviation 0.000; between systems 0.000." in said.out
    assert "mean of 2 runs" in said.out


def test_a_budget_stops_before_the_call_that_would_pass_it(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """The run stops with code 1, and the same command goes on from there without asking twice."""
    url = serve(httpserver, model)
    poor = memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out, "--max-calls", "5"))
    assert poor.code == 1
    assert len(httpserver.log) == 5
    rich = memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out))
    assert rich.code == 0
    asked = [json.dumps(body["messages"]) for body in bodies(httpserver)]
    assert len(set(asked)) == len(asked)


def test_a_plan_says_what_it_would_take_and_asks_nothing(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Calls, tokens and money beforehand; what the record holds is free."""
    url = serve(httpserver, model)
    before = memgauge(
        "models", "answer", out, "--model", "openai:gpt-4.1-mini", "--plan", "--json", *options("", out)[2:]
    ).data
    assert before["calls"] > 0
    assert before["usd"] > 0
    assert httpserver.log == []
    memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out))
    after = memgauge(
        "models", "answer", out, "--model", "openai:tiny", "--plan", *options(url, out, "--per-minute", "10")
    )
    assert "0 calls" in after.out
    assert "No model is asked" in memgauge("models", "answer", out, "--plan").out
    assert (
        "no price is known" in memgauge("models", "certify", "-p", "openai:tiny", "--plan", *options(url, out)).out
    )


def careful(asked: Asked) -> Response:
    """Judge by whether the reply holds the accepted answer, or declines where there is none."""
    text = json.loads(asked.get_data())["messages"][-1]["content"]
    gold, reply = (_part(text, name) for name in ("gold", "answer"))
    asks = re.search("mark this|verdict|note to the judge", reply)
    right = (gold in reply and not asks) if gold else ("know" in reply or "never" in reply)
    return answer(completion(json.dumps({"reason": "words", "verdict": "CORRECT" if right else "INCORRECT"})))


KNOWN = "12"
"""Questions that sentinels are built from: seventy requests are enough for a judge that is always right."""


def certified(memgauge: Callable[..., Said], url: str, out: Path, *more: object) -> Path:
    """Certify the judge that is served."""
    path = out.parent / "certificate.json"
    said = memgauge(
        "models", "certify", "-p", "openai:tiny", "--limit", KNOWN, "--out", path, *more, *options(url, out)
    )
    assert said.code == 0, said.err
    return path


def test_a_judge_is_certified_and_ranks(httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path) -> None:
    """The certificate says what it is good for; verdicts of the same panel carry its stamp, others are refused."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "recency", "--out", out)
    memgauge("models", "answer", out, "--answerer", "first")
    url = serve(httpserver, careful)
    path = certified(memgauge, url, out)
    certificate = json.loads(path.read_text())
    assert (certificate["verdict"], certificate["reasons"]) == ("fit", [])
    assert certificate["limits"]["wrong_most"] == 0.3
    board = ("models", "judge", out, "-p", "openai:tiny", "--certificate", path, *options(url, out))
    printed = memgauge(*board)
    assert "certified " in printed.out
    assert "Corrected by Rogan-Gladen, certificate" in printed.out
    assert "Nobody is ranked" not in printed.out
    data = memgauge(*board, "--json").data
    assert (data["verdict"], data["ranked"], data["marks"]) == ("fit", True, [])
    assert [place["rank"] for place in data["judged"]] == [1, 2]
    for place in data["judged"]:
        assert 1 <= place["rank_low"] <= place["rank"] <= place["rank_high"] <= 2
        score, corrected = place["scores"][0], place["corrected"]
        if score["low"] is not None:
            raw = min(1, score["high"]) - max(0, score["low"])
            assert corrected["high"] - corrected["low"] > raw
    other = memgauge(
        "models", "judge", out, "-p", "openai:tiny", "--quorum", "2", "--certificate", path, *options(url, out)
    )
    assert (other.code, "of another panel" in other.err) == (2, True)
    for broken in ("{}", "no json"):
        path.write_text(broken)
        said = memgauge(*board)
        assert (said.code, "is no certificate" in said.err) == (2, True)


def test_a_judge_without_a_certificate_ranks_nobody(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Its values are shown as they came, marked with the command that would certify it."""
    memgauge("models", "answer", out, "--answerer", "first")
    url = serve(httpserver, careful)
    board = ("models", "judge", out, "-p", "openai:tiny", "--repeats", "2", *options(url, out))
    printed = memgauge(*board)
    command = "memgauge models certify -p openai:tiny --repeats 2 --out certificate.json"
    assert f"Nobody is ranked: This judge was never certified: `{command}`" in " ".join(printed.out.split())
    (place,) = memgauge(*board, "--json").data["judged"]
    assert (place["rank"], place["corrected"]["value"]) == (None, None)
    assert place["corrected"]["reason"] == "the judge was never certified"


def test_an_unfit_judge_gives_no_board_and_costs_nothing(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """One sentence says why and what to do, before anything is asked; its values can be had, unranked."""
    memgauge("models", "answer", out, "--answerer", "first")
    url = serve(httpserver, model)
    path = certified(memgauge, url, out)
    asked = len(httpserver.log)
    board = ("models", "judge", out, "-p", "openai:tiny", "--certificate", path, *options(url, out))
    refused = memgauge(*board)
    assert refused.code == 2
    assert "openai:tiny is unfit to judge: it accepts" in refused.err
    assert "It gives no board. Take another judge, or pass --uncertified" in " ".join(refused.err.split())
    assert len(httpserver.log) == asked
    data = memgauge(*board, "--uncertified", "--json").data
    assert (data["verdict"], data["ranked"], data["judged"][0]["rank"]) == ("unfit", False, None)
    assert "is unfit to judge" in data["marks"][0]
    assert "Nobody is ranked: openai:tiny is unfit" in memgauge(*board, "--uncertified").out


def test_judges_that_are_cut_off_leave_no_mean(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """A verdict inside a cut reply is none; the ledger counts it, and more than a few leave no mean."""
    memgauge("models", "answer", out, "--answerer", "first")
    url = serve(httpserver, *[answer(completion("VERDICT: CORRECT", "length"))] * 3, careful)
    board = ("models", "judge", out, "-p", "openai:tiny", *options(url, out, "--workers", "1"))
    (place,) = memgauge(*board, "--json").data["judged"]
    score = place["scores"][0]
    assert score["denominator"]["excluded"]["verdict cut off"] == 3
    assert (score["value"], score["low"], score["question_low"]) == (None, None, None)
    assert score["reason"].startswith("3 of ")
    assert "replies of judges were cut off, more than 2%" in score["reason"]
    assert place["by_judge"]["openai:tiny"]["cut off"] == 3
    assert "No mean is given: 3 of" in memgauge(*board).out


def test_labels_of_people_correct_before_a_certificate_does(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """With twenty labels of a system its share is theirs, by PPI++; a broken line is named."""
    memgauge("models", "answer", out, "--answerer", "first")
    url = serve(httpserver, careful)
    path = certified(memgauge, url, out)
    board = ("models", "judge", out, "-p", "openai:tiny", "--certificate", path, *options(url, out))
    memgauge(*board)
    rows = [json.loads(line) for line in next(out.rglob("verdicts-*/rows.jsonl")).read_text().splitlines()]
    labels = out.parent / "labels.jsonl"
    lines = [{"system": "bm25", "question": row["question"], "right": False} for row in rows[:20]]
    labels.write_text("\n".join(map(json.dumps, lines)))
    (place,) = memgauge(*board, "--labels", labels, "--json").data["judged"]
    assert place["corrected"]["method"] == "PPI++, 20 labels"
    assert place["corrected"]["value"] <= place["scores"][0]["value"]
    labels.write_text("\n".join(map(json.dumps, [*lines, lines[0] | {"right": True}])))
    said = memgauge(*board, "--labels", labels)
    assert (said.code, "labels.jsonl:21: " in said.err) == (2, True)


def test_answers_of_several_answerers_are_not_compared_by_accident(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Another answerer or prompt is another experiment, unless that is what is compared."""
    memgauge("models", "answer", out, "--answerer", "first")
    memgauge("models", "answer", out, "--answerer", "extractive")
    url = serve(httpserver, model)
    refused = memgauge("models", "judge", out, "-p", "openai:tiny", *options(url, out))
    assert (refused.code, "differ in more than the system" in refused.err) == (2, True)
    assert (
        memgauge("models", "judge", out, "-p", "openai:tiny", "--answers", "first", *options(url, out)).code == 0
    )
    both = memgauge(
        "models", "judge", out, "-p", "openai:tiny", "--factor", "answerer", *options(url, out), "--json"
    ).data
    assert len(both["judged"]) == 2


def test_judging_is_planned_and_claims_are_judged_by_the_memories(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """The plan asks nothing; claim by claim, what an answerer copied from a memory is supported by it."""
    memgauge("models", "answer", out, "--answerer", "first")

    def reads(asked: Asked) -> Response:
        text = json.loads(asked.get_data())["messages"][-1]["content"]
        said, known = _part(text, "claim"), _part(text, "memories")
        return answer(completion("VERDICT: SUPPORTED" if said in known else "VERDICT: UNSUPPORTED"))

    url = serve(httpserver, reads)
    rules = ("models", "judge", out, "-p", "openai:tiny", "--rules", "consistency")
    planned = memgauge(*rules, "--plan", *options(url, out), "--json").data
    assert planned["calls"] > 0
    assert httpserver.log == []
    (entry,) = memgauge(*rules, *options(url, out), "--json").data["judged"]
    scores = {score["measure"]: score["value"] for score in entry["scores"]}
    assert scores == {"Supported": 1.0, "Contradicted": 0.0, "Unsupported": 0.0}
    table = memgauge(*rules, "--categories", *options(url, out))
    assert "mean of categories" in table.out
    assert 0 < len(httpserver.log) <= planned["calls"]  # what is asked twice is paid once


def test_a_plan_prices_answers_and_verdicts_before_anything_runs(memgauge: Callable[..., Said]) -> None:
    """Calls, tokens and money from one conversation; more than is allowed exits with 1."""
    asked = (
        "runs",
        "plan",
        "-d",
        "synthetic:tiny",
        "-s",
        "bm25",
        "--model",
        "openai:gpt-4.1-mini",
        "-p",
        "openai:gpt-4.1",
    )
    data = memgauge(*asked, "--per-minute", "10", "--json").data["models"]
    assert [cost["work"] for cost in data["costs"]] == ["answers", "verdicts"]
    assert data["minutes"] == data["calls"] / 10
    poor = memgauge(*asked, "--max-usd", "0.000001")
    assert (poor.code, "It would cost" in poor.err) == (1, True)
    assert "calls of models, about" in poor.out
    unknown = memgauge(
        "runs", "plan", "-d", "synthetic:tiny", "-s", "bm25", "--model", "openai:tiny", "--max-usd", "1"
    )
    assert (unknown.code, "No price is known" in unknown.err) == (1, True)


def test_what_was_stored_is_judged_over_http(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Only a dataset that says what should be stored can be judged so."""
    url = serve(httpserver, model)
    found = memgauge("models", "writes", out, "-p", "openai:tiny", *options(url, out))
    assert (found.code, "does not say what should be stored" in found.err) == (2, True)


def test_a_model_says_over_http_what_is_borne(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Planned, asked, and replayed from the record without a server; what is word for word costs nothing."""
    memgauge("run", "-d", "synthetic:tiny", "-s", "crafted:session", "--executor", "inline", "--out", out)

    def reads(asked: Asked) -> Response:
        text = json.loads(asked.get_data())["messages"][-1]["content"]
        borne = _part(text, "memory") in _part(text, "turn")
        return answer(completion("BEARS" if borne else "LACKS"))

    url = serve(httpserver, reads)
    planned = memgauge("models", "witness", out, "-p", "openai:tiny", "--plan", *options(url, out), "--json").data
    assert planned["calls"] > 0
    assert httpserver.log == []
    table = memgauge("models", "witness", out, "-p", "openai:tiny", *options(url, out))
    assert table.code == 0, table.err
    assert "word for word" in table.out
    calls = len(httpserver.log)
    assert 0 < calls <= planned["calls"]
    for folder in out.rglob("layers"):
        _remove(folder)
    again = memgauge(
        *("models", "witness", out, "-p", "openai:tiny", "--json"),
        *options("http://127.0.0.1:9/v1", out, "--mode", "replay"),
    ).data["witness"]
    assert len(httpserver.log) == calls
    assert {count["system"]: set(count["grades"]) for count in again}["bm25"] == {"word for word"}


def test_a_model_parses_a_store_that_a_system_reads(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """Planned, made, made again from the record alone, and run."""

    def states(asked: Asked) -> Response:
        text = json.loads(asked.get_data())["messages"][-1]["content"]
        return answer(completion(json.dumps({"facts": [f"It was said that {_part(text, 'turn')}"]})))

    url = serve(httpserver, states)
    stores = out.parent / "stores"
    asked = ("study", "targets", "extract", "--model", "openai:tiny", "-d", "synthetic:tiny", "--out", stores)
    planned = memgauge(*asked, "--plan", *options(url, out), "--json").data
    made = memgauge(*asked, *options(url, out), "--json").data
    assert (planned["calls"], made["unread"]) == (made["memories"], 0)
    replayed = (*asked, *options("http://127.0.0.1:9/v1", out, "--mode", "replay"), "--json")
    assert memgauge(*replayed).data == made
    assert len(httpserver.log) == planned["calls"]
    ran = memgauge(
        "study",
        "targets",
        "run",
        "-d",
        "synthetic:tiny",
        "-s",
        "bm25",
        "--executor",
        "inline",
        "--store",
        made["path"],
        "--out",
        out.parent / "tr",
    )
    assert ran.code == 0, ran.err
    audited = memgauge("study", "targets", "audit", out.parent / "tr", "--json").data["value"]
    assert audited["covered"] == audited["asked"]


def test_sentinels_can_come_from_a_file(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path, tmp_path: Path
) -> None:
    """An outside set of wrong answers is judged like our own."""
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"question": "Where?", "gold": "Paris", "answer": "some city", "right": false}\n')
    url = serve(httpserver, model)
    said = memgauge("models", "certify", "-p", "openai:tiny", "--sentinels", path, *options(url, out))
    assert "other wrong" in said.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("models", "judge"), "No judge was named"),
        (("models", "judge", "-p", "openai:tiny", "--repeats", "0"), "Give a whole number from 1"),
        (("models", "judge", "-p", "openai:tiny"), "no answers to judge"),
        (
            ("models", "answer", "--model", "openai:tiny", "--prompt", "answer-neutrl"),
            "Did you mean answer-neutral",
        ),
    ],
)
def test_mistakes_are_one_sentence(
    memgauge: Callable[..., Said], out: Path, arguments: tuple[str, ...], said: str
) -> None:
    """What cannot be judged or asked exits with 2 and says why."""
    found = memgauge(*arguments[:2], out, *arguments[2:], "--cassette", out.parent / "replies.sqlite")
    assert (found.code, said in found.err) == (2, True), found.err


def test_a_wrong_key_is_one_sentence_without_the_key(
    httpserver: HTTPServer, memgauge: Callable[..., Said], out: Path
) -> None:
    """The provider's refusal is told, and the key is not."""
    url = serve(httpserver, failure(401, f"Incorrect API key provided: {KEY}"))
    said = memgauge("models", "answer", out, "--model", "openai:tiny", *options(url, out))
    assert said.code == 2
    assert KEY not in said.err + said.out


@pytest.mark.slow  # tests/llm/test_cassette.py kills a pass, and tests/cli/test_main.py a command
@pytest.mark.parametrize("workers", [1, 4])
def test_a_killed_command_never_pays_twice(httpserver: HTTPServer, out: Path, workers: int) -> None:
    """SIGKILL in the middle; the same command finishes, and no reply that had come back is asked for again."""

    def slow(asked: Asked) -> Response:
        time.sleep(0.15)
        return model(asked)

    url = serve(httpserver, slow)
    command = [
        sys.executable,
        "-m",
        "memgauge",
        "models",
        "answer",
        str(out),
        "--model",
        "openai:tiny",
        "--workers",
        str(workers),
    ]
    command += [str(one) for one in options(url, out)]
    environment: dict[str, Any] = dict(os.environ)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    deadline = time.monotonic() + 60
    while len(httpserver.log) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    asked = [json.dumps(body["messages"]) for body in bodies(httpserver)]
    repeated = len(asked) - len(set(asked))
    assert repeated <= workers  # those in flight when the process died were never recorded
