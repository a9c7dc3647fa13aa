"""Counts of the samples of benchmarks that lie in a folder of data, beside what their documentation says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SAMPLES: Final[Mapping[str, str]] = {
    "rhelm_sample_morales": "rhelm:rhelm/rhelm.Elena_Morales.tar.gz",
    "rhelm_sample_mcewan": "rhelm:rhelm/rhelm.Dr._Alastair_McEwan.tar.gz",
    "rhelm_sample_mcewan_all": "rhelm:rhelm/rhelm.Dr._Alastair_McEwan.tar.gz,sources=all,turns=messages",
    "factconsolidation_6k": "memoryagentbench:memoryagentbench/factconsolidation_6k.json",
    "personamem_sample": "personamem:personamem/personamem_v1_32k.1-context.json",
    "prefeval_sample": "prefeval:prefeval/prefeval.travel_restaurant.2-records.json",
    "precisionmembench": "precisionmembench:precisionmembench/",
    "precisionmembench_together": "precisionmembench:precisionmembench/,scopes=together",
    "prefeval_sample_pooled": "prefeval:prefeval/prefeval.travel_restaurant.2-records.json,pool=topic,distance=25",
}
"""Every sample by the name that its figures begin with."""


def datasets() -> Mapping[str, float]:
    """Count every sample, and the laws of datasets that it breaks.

    Raises:
        DataNotFoundError: A sample is not here.
    """
    return {f"{name}_{key}": value for name, ref in SAMPLES.items() for key, value in _counts(ref)}


def _counts(ref: str) -> Iterator[tuple[str, float]]:
    """Yield every number that a sample is described by, lists by their length."""
    dataset = open_dataset(ref, allow_unpinned=True)
    yield "violations", float(len(validate(dataset)))
    yield from _numbers("", dataset.describe())


def _numbers(prefix: str, description: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    for key, value in description.items():
        name = f"{prefix}{key}".replace(" ", "_")
        if isinstance(value, dict):
            yield name, float(len(value))
            yield from _numbers(f"{name}_", value)
        elif isinstance(value, list):
            yield name, float(len(value))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield name, float(value)
