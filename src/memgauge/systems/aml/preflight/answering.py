"""Probes of what a server answers: who may ask, in which shape, and what is refused."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Verdict
from memgauge.systems.aml.preflight.bench import LOCKER, Blocked, PreflightFinding, failed, judged, passed, saying
from memgauge.systems.aml.replies import ECHOED, success_problem

if TYPE_CHECKING:
    from memgauge.systems.aml.preflight.bench import PreflightBench

ODD_IDS: Final = (
    " padded ",
    "Case:and/slash?q=1&r#2",
    "e\u0301 is not \u00e9",
    "日本語 👩\u200d👩\u200d👧",
    "quo\"te\\'s",
    "x" * 200,
)


def health(bench: PreflightBench) -> PreflightFinding:
    """Ask without a key."""
    reply = bench.ask(bench.client.health)
    return passed(f"HTTP {reply.status}") if 200 <= reply.status < 300 else failed(reply.shown)


def key(bench: PreflightBench) -> PreflightFinding:
    """Ask without a key, and with another one."""
    if not bench.client.address.key:
        return PreflightFinding(Verdict.VACUOUS, "no key was named; only the public smoke goes without one")
    wrong = {name: value[:-4] + "wrong" for name, value in bench.client.address.heads.items()}
    user = bench.user("key")
    asked = {"query": LOCKER, "user_id": user, "top_k": 1}
    problems, statuses = [], list[int]()
    for heads, what in (({}, "no key"), (wrong, "another key")):
        for operation, reply in (
            ("Add", bench.add(bench.body(user, saying("Nobody may add this.")), heads)),
            ("Search", bench.search(asked, heads)),
        ):
            statuses.append(reply.status)
            if reply.status not in {401, 403}:
                problems.append(f"{operation} with {what}: {reply.shown}")
    return judged(problems, "403 where 401 is the rule" if 403 in statuses else "")


def success(bench: PreflightBench) -> PreflightFinding:
    """Add a message, as plain as can be."""
    user = bench.user("success")
    reply = bench.add(bench.body(user, saying("My locker number is 12.")))
    if reply.late:
        raise Blocked("time", f"Add: {reply.failure}")
    if reply.status in {401, 403} and bench.client.address.key:
        return failed(f"the key is refused: {reply.shown}")
    if reply.status != 200:
        return failed(reply.shown, status=reply.status)
    problem = success_problem(reply.value)
    return failed(f"Add was answered with {problem}") if problem else passed()


def echo(bench: PreflightBench) -> PreflightFinding:
    """Add under odd ids, and compare what comes back byte for byte."""
    problems = []
    for number, odd in enumerate(ODD_IDS):
        body = bench.body(bench.user(f"echo{number}"), saying("The beans came up."))
        body = {name: f"{value}{odd}" if name in ECHOED else value for name, value in body.items()}
        reply = bench.add(body)
        if not bench.taken(reply):
            problems.append(f"ids that end in {odd[:20]!r}: {reply.shown}")
            continue
        problems += [
            f"{name} {str(reply.value.get(name))[-20:]!r} for {body[name][-20:]!r}"
            for name in ECHOED
            if reply.value.get(name) != body[name]
        ]
    return judged(problems, ids=3 * len(ODD_IDS))


def errors(bench: PreflightBench) -> PreflightFinding:
    """Provoke refusals, and read what they say."""
    replies = {
        "no key": bench.search({"query": LOCKER, "user_id": bench.user("errors"), "top_k": 1}, {}),
        "a body that is no JSON": bench.search(b"{"),
        "no user_id": bench.search({"query": LOCKER, "top_k": 1}),
    }
    refused = {what: reply for what, reply in replies.items() if reply.status >= 400}
    problems = [
        f"{what}: {reply.shown}"
        for what, reply in refused.items()
        if not isinstance(reply.value, dict) or "detail" not in reply.value
    ]
    return judged(problems, "" if refused else "nothing was refused", refusals=len(refused))


def shape(bench: PreflightBench) -> PreflightFinding:
    """Search with and without options, and look at every field of what comes."""
    user = bench.user("shape")
    bench.added(bench.body(user, saying("My locker number is 12.", "The beans came up.", "The boat is blue.")))
    rows = bench.hits(user, LOCKER)
    asked = {"query": LOCKER, "user_id": user, "top_k": 10, "options": ["12", "21"]}
    reply = bench.search(asked)
    problems = [] if reply.status == 200 else [f"with options: {reply.shown}"]
    for place, row in enumerate(rows):
        problems += [f"data[{place}].{problem}" for problem in _field_problems(row)]
    ids = [row["id"] for row in rows]
    problems += [f"the id {name!r} stands twice" for name in sorted({name for name in ids if ids.count(name) > 1})]
    return judged(problems, hits=len(rows))


def _field_problems(row: dict[str, Any]) -> list[str]:
    score, created = row.get("score"), row.get("created_at")
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and isfinite(score)
    checks = {
        "content is empty": not row["content"],
        "id is empty": not row["id"],
        f"score {score!r} is no number": "score" in row and score is not None and not is_number,
        f"created_at {created!r} is no text": created is not None and not isinstance(created, str),
    }
    return [problem for problem, is_so in checks.items() if is_so]


def unknown(bench: PreflightBench) -> PreflightFinding:
    """Add and search with fields that nobody knows."""
    user, word = bench.user("unknown"), bench.word("unknown")
    messages = [{**saying(f"My locker number is {word}.")[0], "mood": "calm", "id": 7}]
    added = bench.add({**bench.body(user, messages), "app_id": "x", "metadata": {"a": [1]}, "async": False})
    searched = bench.search({"query": LOCKER, "user_id": user, "top_k": 10, "rerank": True, "filters": {}})
    problems = [] if bench.taken(added) else [f"Add: {added.shown}"]
    problems += [] if searched.status == 200 else [f"Search: {searched.shown}"]
    if not problems and not bench.finds(user, LOCKER, word):
        problems = ["what was added with unknown fields is not found"]
    return judged(problems)


def types(bench: PreflightBench) -> PreflightFinding:
    """Send bodies of wrong types."""
    user = bench.user("types")
    good = bench.body(user, saying("The beans came up."))
    asked: dict[str, Any] = {"query": LOCKER, "user_id": user, "top_k": 10}
    adds: dict[str, object] = {
        "messages a text": {**good, "messages": "The beans came up."},
        "messages empty": {**good, "messages": []},
        "a message a text": {**good, "messages": ["The beans came up."]},
        "content a number": {**good, "messages": [{"role": "user", "content": 7}]},
        "no content": {**good, "messages": [{"role": "user"}]},
        "user_id a number": {**good, "user_id": 7},
        "no request_id": {name: value for name, value in good.items() if name != "request_id"},
        "the body a list": [good],
        "the body no JSON": b'{"request_id": ',
    }
    searches: dict[str, object] = {
        "query null": {**asked, "query": None},
        "user_id a list": {**asked, "user_id": [user]},
        "no user_id": {name: value for name, value in asked.items() if name != "user_id"},
        "top_k a text": {**asked, "top_k": "10"},
        "top_k a boolean": {**asked, "top_k": True},
        "the body a text": "hello",
    }
    replies = {f"Add, {what}": bench.add(body) for what, body in adds.items()}
    replies |= {f"Search, {what}": bench.search(body) for what, body in searches.items()}
    problems = [f"{what}: {reply.shown}" for what, reply in replies.items() if not 400 <= reply.status < 500]
    crashed = sum(not 200 <= reply.status < 500 for reply in replies.values())
    return judged(problems, bodies=len(replies), crashed=crashed, accepted=len(problems) - crashed)
