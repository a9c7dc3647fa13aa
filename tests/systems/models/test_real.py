"""Models with real weights, where they are installed."""

from __future__ import annotations

import pytest

from memgauge.errors import UserError
from memgauge.systems.models.catalogue import local_model, model_names, settings_of
from memgauge.systems.models.checking import check_model


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", model_names())
def test_an_installed_model_does_what_is_relied_on(name: str) -> None:
    """It says who it is, tells sides, finds by meaning; or writes, is cut, and keeps to a schema."""
    try:
        settings_of(local_model(name))
    except UserError as error:
        pytest.skip(str(error))
    report = check_model(name)
    assert report.good, report
