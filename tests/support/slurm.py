"""The batch script of docs/cluster.md with stand-ins for what a Slurm brings: everything runs on this machine."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

from support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "cluster.md"
HEAD = "127.0.0.1"

_SCONTROL = f"""#!/bin/bash
echo "scontrol $*" >> "$STANDIN_LOG"
echo {HEAD}
command -p sleep 0.2  # whoever reads one line and leaves would end it
echo worker-2
echo worker-3
"""

_SRUN = """#!/bin/bash
# Starts a command as often as --ntasks says, as srun does, and ends it when it is told to end.
trap 'kill $(jobs -p) 2> /dev/null; wait; exit 143' TERM
echo "srun $*" >> "$STANDIN_LOG"
while [[ $1 == -* ]]; do
  case $1 in
    --ntasks=*) tasks=${1#*=} ;;
    -w | --exclude) shift ;;
  esac
  shift
done
for ((i = 0; i < tasks; i++)); do "$@" & done
wait
"""


def block(language: str, beginning: str = "") -> str:
    """Return the block of the page that begins so."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    (found,) = [one for one in blocks if one.startswith(beginning)]
    return str(found)


def script(venv: Path, folder: Path, command: str, port: int) -> str:
    """Return the batch script with this machine's folders, and with a command that takes seconds."""
    text = block("bash", "#!/bin/bash")
    changes = {
        "/shared/venv/bin/activate": str(venv),
        "/shared/study": str(folder),
        "memgauge run -d longmemeval:m -s bm25 -s dense": command,
        "6379": str(port),
    }
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


def submit(text: str, bin_folder: Path, nodes: int, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a batch script as Slurm would on the first node of an allocation; the log of stand-ins is in *log*."""
    bin_folder.mkdir(exist_ok=True)
    executable(bin_folder / "srun", _SRUN)
    executable(bin_folder / "scontrol", _SCONTROL)
    (bin_folder / "batch.sh").write_text(text, "utf-8")
    given = {
        **{key: value for key, value in os.environ.items() if not key.startswith("RAY_")},
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "STANDIN_LOG": str(bin_folder / "log"),
        "SLURM_JOB_NODELIST": "node[1-3]",
        "SLURM_JOB_NUM_NODES": str(nodes),
        "SLURM_CPUS_PER_TASK": "2",
        **environment,
    }
    return subprocess.run(
        ["bash", str(bin_folder / "batch.sh")], env=given, capture_output=True, text=True, timeout=280, check=False
    )


def executable(path: Path, text: str) -> None:
    """Write a program."""
    path.write_text(text, "utf-8")
    path.chmod(0o755)
