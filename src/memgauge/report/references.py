"""What is cited: the instrument, the benchmarks, and what the inference rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Reference:
    """One publication."""

    key: str
    authors: str
    year: int
    title: str
    venue: str
    eprint: str = ""
    """Its number at arXiv."""

    @property
    def text(self) -> str:
        """Write it as a list of references does."""
        number = f" arXiv:{self.eprint}." if self.eprint else ""
        return f"{self.authors.replace(' and ', ', ')} ({self.year}). {self.title}. {self.venue}.{number}"

    @property
    def bibtex(self) -> str:
        """Write it as an entry of BibTeX."""
        fields = {"author": self.authors, "title": f"{{{self.title}}}", "year": str(self.year)}
        fields |= {"howpublished": self.venue}
        if self.eprint:
            fields |= {"eprint": self.eprint, "archiveprefix": "arXiv"}
        return bibtex("misc", self.key, fields)


def bibtex(kind: str, key: str, fields: Mapping[str, str]) -> str:
    """Write an entry of BibTeX."""
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}"


BENCHMARKS: Final[Mapping[str, Reference]] = {
    "locomo": Reference(
        "maharana2024locomo",
        "Adyasha Maharana and Dong-Ho Lee and Sergey Tulyakov and Mohit Bansal and Francesco Barbieri and "
        "Yuwei Fang",
        2024,
        "Evaluating Very Long-Term Conversational Memory of LLM Agents",
        "ACL 2024",
        "2402.17753",
    ),
    "longmemeval": Reference(
        "wu2025longmemeval",
        "Di Wu and Hongwei Wang and Wenhao Yu and Yuwei Zhang and Kai-Wei Chang and Dong Yu",
        2025,
        "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory",
        "ICLR 2025",
        "2410.10813",
    ),
    "beam": Reference(
        "tavakoli2025beam",
        "Mohammad Tavakoli and others",
        2025,
        "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in LLMs",
        "Preprint",
        "2510.27246",
    ),
    "halumem": Reference(
        "chen2025halumem",
        "Ding Chen and others",
        2025,
        "HaluMem: Evaluating Hallucinations in Memory Systems of Agents",
        "Preprint",
        "2511.03506",
    ),
}
"""By the name of the dataset."""
INFERENCE: Final = (
    Reference(
        "bell2002bias",
        "Robert M. Bell and Daniel F. McCaffrey",
        2002,
        "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples",
        "Survey Methodology 28(2)",
    ),
    Reference(
        "korn1998confidence",
        "Edward L. Korn and Barry I. Graubard",
        1998,
        "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from "
        "Survey Data",
        "Survey Methodology 24(2)",
    ),
    Reference(
        "holm1979simple",
        "Sture Holm",
        1979,
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics 6(2)",
    ),
)
