"""What models were asked, as it is read: sums, marks of who says so, and sentences that name what is unknown."""

from __future__ import annotations

from memgauge.llm.metering.calls import CallEnd, CallRoute
from memgauge.llm.metering.log import MeteredCall
from memgauge.llm.metering.summary import summarise_calls
from memgauge.metering import CostSource
from memgauge.report.metered import document
from memgauge.show.terminal import printed
from support.metered import dollars


def said(*calls: MeteredCall | None) -> str:
    """Print what calls come to."""
    return printed(document(summarise_calls(calls, dollars)))


def call(model: str = "paid", source: CostSource = CostSource.REPORTED, **more: object) -> MeteredCall:
    """Make a call of 1,000 tokens in and 500 out."""
    tokens = {"tokens_in": 1000, "in_source": source, "tokens_out": 500, "out_source": source}
    known = {"at": "2027-01-05", "route": CallRoute.CHAT, "model": model, "end": CallEnd.OK, **tokens}
    return MeteredCall.model_validate(known | more)


def test_sums_say_who_says_so() -> None:
    """Reported tokens are bare, counted and unknown ones marked; a mark is explained where it stands."""
    assert "2 calls of models for 0.0040 USD." in said(call(product="a"), call(product="b"))
    refused = call(end=CallEnd.CAPPED, status=402, tokens_in=0, tokens_out=0)
    assert "1 call of models for 0.0020 USD. 1 more call was refused, since --max-usd is spent." in said(
        call(product="a"), refused
    )
    assert "1,000~" in said(call(source=CostSource.COUNTED))
    assert "~: in part as they were counted here." in said(call(source=CostSource.COUNTED))
    unknown = call(tokens_out=None, out_source=CostSource.UNAVAILABLE)
    assert "1,000?" in said(unknown)
    assert "?: in part unknown." in said(unknown)
    assert "~:" not in said(call())


def test_what_is_not_known_is_said() -> None:
    """A model without a price, lines that broke off, and nothing at all."""
    text = said(call("larder"), call("local:mine"), None)
    assert "at a price that is not known" in text
    assert "No list price is known of larder." in text
    assert "for which nobody charges" in text
    assert "1 line could not be read" in text
    assert "No model was asked." in said()


def test_failures_and_retries_are_told() -> None:
    """By status, with the rule that what was sent counts."""
    text = said(call(end=CallEnd.REFUSED, status=429, tokens_out=0), call(again_after="429"))
    assert "429: 1" in text
    assert "What was sent counts, whatever became of it" in text
    assert "Prices: a list, 2027-01-01" in text
