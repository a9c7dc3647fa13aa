"""How long spans take to become traffic, and a run: `python -m bench.importing [SPANS]`, a million by default.

A file of invented spans, of which one in ten reads or writes a memory, is imported by a process of its own, names
hashed and texts left out. Seconds are those of the processor, of all processes together; memory is that of the
largest one.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from bench.spans import write_spans

SPANS = 1_000_000


def main() -> None:
    """Write spans, import them elsewhere, and print what it took."""
    if len(sys.argv) > 2:
        _imported(Path(sys.argv[1]), Path(sys.argv[2]))
        return
    wanted = int(sys.argv[1]) if len(sys.argv) == 2 else SPANS
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data.json"
        written = write_spans(path, wanted)
        print(f"{written:,} spans in {path.stat().st_size / 1e6:,.0f} MB", flush=True)
        subprocess.run([sys.executable, "-m", "bench.importing", str(path), folder], check=True)


def _imported(path: Path, folder: Path) -> None:
    from memgauge.exchange.otlp.importing import import_otlp
    from memgauge.exchange.otlp.sighting import OtlpOptions
    from memgauge.exchange.traffic.freezing import freeze_traffic
    from memgauge.exchange.traffic.writer import SEAL
    from memgauge.text.pseudonyms import Pseudonyms

    at = _spent()
    traffic = import_otlp([path], folder / "traffic", OtlpOptions(Pseudonyms(b"a key of 16 bytes")))
    at = _told("spans become traffic", at)
    freeze_traffic(traffic, folder / "runs", "bench")
    _told("traffic becomes a run", at)
    counts = traffic.manifest.model_dump(include={"operations", "records"})
    print(counts | json.loads((traffic.folder / SEAL).read_text("utf-8")))


def _spent() -> tuple[float, float]:
    """Return seconds of the processor so far, of this process and of those that it started, and of the clock."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime, perf_counter()


def _told(what: str, before: tuple[float, float]) -> tuple[float, float]:
    now = _spent()
    ways = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    largest = max(resource.getrusage(way).ru_maxrss for way in ways) * 1024 / 1e6
    spent, passed = (later - earlier for later, earlier in zip(now, before, strict=True))
    print(
        f"{what}: {spent:.1f} CPU s, {passed:.0f} s by the clock, at most {largest:.0f} MB a process", flush=True
    )
    return now


if __name__ == "__main__":
    main()
