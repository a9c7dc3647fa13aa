"""The exceptions of memgauge.

* MemgaugeError
  x UserError                 a mistake that its reader can mend; printed without a traceback, exit code 2
    - UnknownNameError        a name that no registry knows; carries suggestions
    - ConfigError             an option, a parameter or a configuration file that does not fit
    - MissingExtraError       a feature whose optional packages or weights are absent
    - MissingPartsError       several things that are absent, each with what adds it
    - DataError               a dataset file that cannot be used as it is
      . DataNotFoundError     no file where it was looked for
      . DataMismatchError     the file is not the pinned one
      . MalformedDataError    the file breaks its own format, at a named place
    - RunError                a run folder that cannot be used as asked
      . RunNotFoundError      no run there
      . RunBusyError          another process writes it
      . IdentityError         two things that must agree do not
  x TamperError               a sealed file no longer matches its seal; exit code 1
  x BudgetError               the next call to a model could exceed what the user allowed; exit code 1, resumable
  x ModelError                a model gave no reply that can be used; recorded as an outcome
    - TemporaryError          none now, but perhaps later
      . UnreachableError      nobody listens where it is said to be
    - RequestRefusedError     the model's server takes the request itself for wrong
    - ReplayMiss              a reply is not in the record, and nothing may be asked
  x SystemFault               what a memory system under test did wrong; recorded as an outcome, never shown raw
    - CallTimeout             a call did not return in time
    - CallFailed              a call raised
    - ContractBreach          a call returned something that the protocol forbids
"""

from __future__ import annotations


class MemgaugeError(Exception):
    """Base of every error that memgauge raises on purpose: what happened and where, and what to do."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what if not remedy else f"{what} {remedy}")
        self.what = what
        self.remedy = remedy


class UserError(MemgaugeError):
    """A mistake that its reader can mend."""


class UnknownNameError(UserError):
    """A name that no registry knows."""


class ConfigError(UserError):
    """An option, a parameter or a configuration file that does not fit."""


class MissingExtraError(UserError):
    """A feature whose optional packages or weights are absent."""


class MissingPartsError(UserError):
    """Several things that are absent, each with what adds it."""


class DataError(UserError):
    """A dataset file that cannot be used as it is."""


class DataNotFoundError(DataError):
    """No dataset file where it was looked for."""


class DataMismatchError(DataError):
    """The dataset file is not the pinned one."""


class MalformedDataError(DataError):
    """The dataset file breaks its own format at a named place."""


class RunError(UserError):
    """A run folder that cannot be used as asked."""


class RunNotFoundError(RunError):
    """No run at the given place."""


class RunBusyError(RunError):
    """Another process is writing the run."""


class IdentityError(RunError):
    """Two things that must agree in identity do not."""


class TamperError(MemgaugeError):
    """A sealed file no longer matches its seal."""


class BudgetError(MemgaugeError):
    """The next call to a model could exceed what the user allowed; what was paid for is kept."""


class ModelError(MemgaugeError):
    """A model gave no reply that can be used."""


class TemporaryError(ModelError):
    """A failure that may pass: a rate limit, an overload, a cut connection, a reply that cannot be read."""

    def __init__(self, message: str, *, retry_after: float | None = None, paid: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds that the provider asked to wait."""
        self.paid = paid
        """Whether the provider may charge for it all the same."""


class UnreachableError(TemporaryError):
    """Nobody listens where a model is said to be."""


class RequestRefusedError(ModelError):
    """The server of a model takes the request for wrong: asked again as it is, it is refused again."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
        """Of HTTP, as the server said it."""


class ReplayMiss(ModelError):  # noqa: N818 - named for what happened
    """A reply is not in the record, and nothing may be asked."""


class SystemFault(MemgaugeError):  # noqa: N818 - the fault is the system's, not ours
    """What a memory system under test did wrong; becomes a recorded outcome."""

    ms: float = 0.0
    """Milliseconds until it did, where a clock ran."""


class CallTimeout(SystemFault):
    """A call did not return in time."""


class CallFailed(SystemFault):
    """A call raised."""


class ContractBreach(SystemFault):
    """A call returned something that the protocol forbids."""
