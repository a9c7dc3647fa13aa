from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import DATASETS, open_dataset
from memgauge.datasets.kind import read_flag, read_whole_number
from memgauge.errors import ConfigError, DataNotFoundError, UnknownNameError

if TYPE_CHECKING:
    from pathlib import Path


def test_every_kind_says_what_it_is() -> None:
    """Every benchmark has a name that is its key, a one-line summary, a licence and documented options."""
    assert set(DATASETS.names()) >= {"beam", "halumem", "locomo", "longmemeval", "synthetic"}
    for name in DATASETS.names():
        kind = DATASETS.get(name)
        assert kind.name == name
        assert kind.summary
        assert "\n" not in kind.summary
        assert kind.licence
        assert all(
            option.help and option.read(option.default) == option.default for option in kind.options.values()
        )
        assert all(spec.url.startswith("https://") for spec in kind.files)
        assert all(spec.sha256 or spec.note for spec in kind.files)


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("locomoo", "Did you mean locomo"),
        ("locomo:captoins=true", "Did you mean captions"),
        ("synthetic:tinny", "Did you mean tiny"),
        ("longmemeval:xl", "Available: m, oracle, s"),
        ("locomo:big", "Unknown variant of locomo 'big'"),
    ],
)
def test_unknown_names_are_answered_with_near_ones(ref: str, message: str) -> None:
    """A misspelt benchmark, variant or option names its neighbours."""
    with pytest.raises(UnknownNameError, match=message):
        open_dataset(ref)


@pytest.mark.parametrize("ref", ["locomo:captions=maybe", "synthetic:seed=one"])
def test_values_that_do_not_fit_are_refused(ref: str) -> None:
    """An option value of the wrong kind is named."""
    with pytest.raises(ConfigError, match=r"'(maybe|one)' is "):
        open_dataset(ref)


def test_files_are_looked_for_only_below_a_given_root(tmp_path: Path) -> None:
    """With a root, nothing outside it is opened."""
    with pytest.raises(DataNotFoundError, match=str(tmp_path)):
        open_dataset("locomo", root=tmp_path)


def test_the_identity_opens_the_same_data_again() -> None:
    """Opening the text of an identity gives an equal identity."""
    identity = open_dataset("synthetic:seed=03,tiny").identity
    assert identity.ref == "synthetic:tiny,seed=3"
    assert open_dataset(identity.ref).identity == identity


def test_option_values_have_one_spelling() -> None:
    """Truth values and numbers are spelt in one way."""
    assert read_flag("TRUE") == "true"
    assert read_whole_number("-07") == "-7"
