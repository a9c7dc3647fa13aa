"""What holds until a day and then no longer, without anybody saying so."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.asked import QuestionDraft, QuestionKind
from memgauge.datasets.synthetic.words import TRANSIENTS
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.synthetic.life import UserLife


def transients(life: UserLife) -> Iterator[QuestionDraft]:
    """Tell of something with an end: over when it is asked, or still going on."""
    dice = life.dice("transients")
    for number, theme in enumerate(dice.sample(TRANSIENTS, life.size.transients)):
        over = (number + life.user) % 2 == 0
        among = range(life.size.sessions // 2) if over else range(life.size.sessions // 2, life.size.sessions)
        (session,) = life.sessions(dice, 1, among)
        begins = life.desk.dates[session]
        last = (
            begins + timedelta(days=dice.between(2, 9)) if over else life.end + timedelta(days=dice.between(5, 40))
        )
        value = life.names.draw(theme.pool)
        clause = life.clause(theme, v=value, d=spell_date(last.date()))
        turn = life.say("assert", clause, session)
        life.hold(theme.name, value, (turn,), start=begins, end=last)
        text = dice.pick(theme.lines["asks"])
        if over:
            yield QuestionDraft(QuestionKind.EXPIRED, text, stale=(turn,), trap=value)
        else:
            yield QuestionDraft(QuestionKind.TRANSIENT, text, (turn,), (value,), stale=())
