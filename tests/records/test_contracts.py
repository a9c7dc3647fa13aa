"""Scoring contracts and their text form."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import (
    BOARD,
    Contract,
    Coverage,
    Credit,
    EvidencePolicy,
    Failures,
    Form,
    Items,
    Target,
    Ties,
    Unlabelled,
    Witness,
)
from memgauge.records.contracts import credits_form

CONTRACTS = st.builds(
    Contract,
    target=st.one_of(st.sampled_from(Target), st.sampled_from(["edge+node", "summary", "rule:mine"])),
    credit=st.sampled_from(Credit),
    coverage=st.sampled_from(Coverage),
    ties=st.sampled_from(Ties),
    evidence=st.sampled_from(EvidencePolicy),
    items=st.sampled_from(Items),
    failures=st.sampled_from(Failures),
    witness=st.sampled_from(Witness),
    unlabelled=st.sampled_from(Unlabelled),
)


@given(CONTRACTS)
def test_a_contract_survives_its_text_form(contract: Contract) -> None:
    """Reading what a contract prints gives the same contract."""
    assert Contract.parse(str(contract)) == contract


@given(CONTRACTS, CONTRACTS)
def test_the_text_form_identifies_a_contract(one: Contract, other: Contract) -> None:
    """Two contracts print alike exactly when they are equal."""
    assert (str(one) == str(other)) == (one == other)


def test_the_text_form_states_every_choice() -> None:
    """Defaults are written out, so that a file names its contract completely."""
    assert str(Contract()) == (
        "target=source,credit=anchor,coverage=any,ties=returned,evidence=strict,items=all,failures=exclude,"
        "witness=none,unlabelled=exclude"
    )


def test_what_a_board_starts_from_is_changed_where_somebody_says_so() -> None:
    """A contract on top of another keeps what it does not name."""
    assert Contract.parse("", BOARD) == BOARD
    assert Contract.parse("witness=none", BOARD) == replace(BOARD, witness=Witness.NONE)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ""),
        ("unlabelled=miss", ""),
        ("witness=model", ""),
        ("witness=none", "claim of their sources is believed"),
        ("failures=exclude", "every system chooses its own questions"),
    ],
)
def test_a_contract_that_believes_or_forgives_ranks_nobody(text: str, reason: str) -> None:
    """Say why, where values may be shown and not ranked."""
    why = Contract.parse(text, BOARD).why_no_ranks
    assert (reason in why) if reason else not why


@pytest.mark.parametrize("text", ["", " , ", "target=source"])
def test_what_is_not_named_keeps_its_default(text: str) -> None:
    """An empty text, or one that repeats a default, is the default contract."""
    assert Contract.parse(text) == Contract()


def test_items_may_come_in_any_order_with_spaces() -> None:
    """Order and spaces between items mean nothing."""
    assert Contract.parse(" credit=id , target=raw ") == Contract(target=Target.RAW, credit=Credit.ID)


@pytest.mark.parametrize(
    ("target", "credited"),
    [
        (Target.SOURCE, set(Form)),
        (Target.RAW, {Form.RAW}),
        (Target.CANONICAL, set(Form) - {Form.RAW, Form.DERIVED}),
        ("edge+node", {Form.EDGE, Form.NODE}),
        ("rule:mine", set(Form)),
    ],
)
def test_a_target_credits_the_forms_that_it_names(target: Target | str, credited: set[Form]) -> None:
    """A rule may credit any: only whoever scores knows it."""
    assert {form for form in Form if credits_form(target, form)} == credited


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("raw", ConfigError, r"'raw' in contract 'raw' is not key=value"),
        ("taget=raw", UnknownNameError, r"Unknown contract key 'taget'. Did you mean target\?"),
        ("target=sauce", UnknownNameError, r"Unknown contract target 'sauce'. Did you mean source\?"),
        ("target=edge+sauce", UnknownNameError, r"Unknown contract target 'edge\+sauce'"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(text: str, error: type[Exception], message: str) -> None:
    """A mistake is named, with the nearest choice where there is one."""
    with pytest.raises(error, match=message):
        Contract.parse(text)
