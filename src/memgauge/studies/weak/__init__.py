"""What happens when memories ask a weak real model: behaviour, never quality, and never a rank."""

from pathlib import Path
from typing import Final

PLACE: Final = Path("results") / "weak"
"""Where the recorded lanes lie in a checkout."""
