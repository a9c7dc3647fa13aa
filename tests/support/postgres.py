"""A Postgres that is a script: it says when it is ready, and goes when it is asked to, or told."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SERVER = f"""#!{sys.executable} -IS
import os, signal, sys, time
option, folder = sys.argv[1:3]
assert option == "-D"
if os.path.exists(folder + "/broken"):
    sys.exit("FATAL: " + open(folder + "/broken").read())
if os.path.exists(folder + "/postmaster.pid"):
    sys.exit("FATAL: lock file exists")
def end(*_):
    time.sleep(os.path.exists(folder + "/slow") and 1)
    os.remove(folder + "/postmaster.pid")
    os._exit(0)
signal.signal(signal.SIGQUIT, end)
if not os.path.exists(folder + "/stubborn"):
    signal.signal(signal.SIGINT, end)
with open(folder + "/postmaster.pid", "w") as status:
    status.write(f"{{os.getpid()}}\\nsomewhere\\nready   \\n")
while True:
    time.sleep(60)
"""
INITDB = f"""#!{sys.executable} -IS
import os, sys
*how, option, folder = sys.argv[1:]
assert (option, *how) == ("-D", "--auth=trust", "--encoding=utf8", "--username=postgres")
if os.path.exists(os.path.dirname(folder) + "/full"):
    sys.exit("FATAL: no space left")
os.mkdir(folder)
"""


def write_programs(folder: Path) -> Path:
    """Write what is called of Postgres into a folder, and return that folder."""
    (folder / "bin").mkdir(parents=True)
    for name, code in (("postgres", SERVER), ("initdb", INITDB)):
        (folder / "bin" / name).write_text(code, encoding="utf-8")
        (folder / "bin" / name).chmod(0o755)
    return folder
