"""Lives in the shapes of questions with options: MemBench, MemDaily, and PersonaMem's second version."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Final

from memgauge.reproduce.invented.lives import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Turn
    from memgauge.reproduce.invented.lives import Files, InventedLife, InventedQuestion

EACH: Final = 8
"""Questions of a life, where each has a history of its own."""
DAILY: Final = (
    (
        ("我昨天买了一条蓝色的小船。", "今天下雨,我在家看书。", "我的小船叫海燕。", "妹妹送了我一盆薄荷。"),
        ("我的小船叫什么?", 2, "海燕", ("白鲸", "红隼", "北斗")),
    ),
    (
        ("我在邮局对面租了一间屋子。", "房租每月一千二百元。", "早上我常去河边跑步。", "邻居养了两只灰猫。"),
        ("我每个月付多少房租?", 1, "一千二百元", ("八百元", "一千五百元", "两千元")),
    ),
    (
        ("下个月我要去青岛看海。", "周末我学会了做豆腐。", "我的牙医姓陆。", "公交车又晚点了。"),
        ("我的牙医姓什么?", 2, "陆", ("陈", "王", "赵")),
    ),
    (
        ("我把旧自行车卖给了同事。", "新车是绿色的,有三个档。", "晚饭吃了番茄面。", "我开始学吹口琴。"),
        ("我在学什么乐器?", 3, "口琴", ("小号", "二胡", "钢琴")),
    ),
)
"""Lives in Chinese, as MemDaily's are: what is said, what is asked, the message that answers it, and options."""


def membench(lives: Sequence[InventedLife]) -> Files:
    """Write a history of pairs for each question, in sessions."""
    roles = list[dict[str, Any]]()
    for life in lives:
        days = [[(turns[n], turns[n + 1]) for n in range(0, len(turns) - 1, 2)] for turns in life.days]
        steps = {turn.id: step for step, pair in enumerate(pair for day in days for pair in day) for turn in pair}
        messages = [[{"user": user.text, "agent": agent.text} for user, agent in day] for day in days]
        for invented in life.asked[:EACH]:
            evidence_steps = dict.fromkeys(steps[turn] for turn in invented.gold.anchors())
            roles.append(
                {
                    "tid": len(roles),
                    "message_list": messages,
                    "QA": _letters(invented, [[step, 0] for step in evidence_steps]),
                }
            )
    return {"FirstAgent.json": spelled({"simple": {"roles": roles}})}


def _letters(invented: InventedQuestion, steps: list[list[int]]) -> dict[str, Any]:
    options = sorted((invented.answer, *invented.wrong))
    choices = dict(zip("ABCD", options, strict=False))
    return {
        "question": invented.asked.text,
        "answer": invented.answer,
        "target_step_id": steps,
        "choices": choices,
        "ground_truth": "ABCD"[options.index(invented.answer)],
    }


def memdaily(_: Sequence[InventedLife]) -> Files:
    """Write the lives in Chinese, a day a message."""
    trajectories = []
    for tid, (messages, (question, step, answer, wrong_answers)) in enumerate(DAILY):
        options = sorted((answer, *wrong_answers))
        question_row = {
            "qid": 0,
            "question": question,
            "answer": answer,
            "target_step_id": [step],
            "choices": dict(zip("ABCD", options, strict=True)),
            "ground_truth": "ABCD"[options.index(answer)],
            "time": "2024年04月09日 周二 09:00",
        }
        dated = [
            {"mid": n, "message": text, "time": f"2024年04月0{n + 1}日 周一 08:39", "place": "上海"}
            for n, text in enumerate(messages)
        ]
        trajectories.append({"tid": tid, "message_list": dated, "question_list": [question_row]})
    return {"01_simple_roles.json": spelled(trajectories)}


def personamem(lives: Sequence[InventedLife]) -> Files:
    """Write the table of the second version, and a history a life."""
    rows, files = [], {}
    for number, life in enumerate(lives, 1):
        link = f"histories/{number}.json"
        files[link] = spelled(
            {"chat_history": [message for turns in life.days for message in _block(life, turns)]}
        )
        rows += [_row(number, link, life, invented) for invented in life.asked]
    table = io.StringIO()
    writer = csv.DictWriter(table, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return {**files, "benchmark.csv": table.getvalue()}


def _block(life: InventedLife, turns: Sequence[Turn]) -> list[dict[str, str]]:
    about = {"role": "system", "content": f"Current user persona: {life.name}"}
    return [about, *({"role": turn.role, "content": turn.text} for turn in turns)]


def _row(number: int, link: str, life: InventedLife, invented: InventedQuestion) -> dict[str, str]:
    snippet = [{"role": "user", "content": life.text_of(turn)} for turn in invented.gold.anchors()]
    return {
        "persona_id": str(number),
        "chat_history_32k_link": link,
        "user_query": json.dumps({"role": "user", "content": invented.asked.text}),
        "correct_answer": invented.answer,
        "incorrect_answers": json.dumps(invented.wrong),
        "pref_type": "neutral",
        "related_conversation_snippet": json.dumps(snippet),
        "prev_pref": life.text_of(invented.gold.stale[0]) if invented.gold.stale else "",
    }
