"""The library that runs graphs, told before it is loaded that it tells nobody of it."""

from __future__ import annotations

import os
from typing import Any, Final

SILENCE: Final = "ORT_DISABLE_TELEMETRY"
"""Variable that is read while the library is loaded; from then on it has noted machine and program."""


def onnxruntime() -> Any:
    """Load onnxruntime without its telemetry; what the user has set stays.

    Raises:
        ImportError: It is absent.
    """
    os.environ.setdefault(SILENCE, "1")
    import onnxruntime as library

    return library
