"""`memgauge models meter` and `spent`: a proxy that notes what models are asked, and what it noted."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Annotated

from memgauge.frame.console import say
from memgauge.frame.exits import OK
from memgauge.frame.numbers import DURATION, MONEY, PORT
from memgauge.frame.output import SHOWN, Output, present
from memgauge.text.shell import typed


def meter(
    url: str,
    *,
    out: Path = Path("metered"),
    port: Annotated[int, PORT] = 0,
    max_usd: Annotated[float | None, MONEY] = None,
    timeout: Annotated[float, DURATION] = 600.0,
) -> int:
    """Stand in front of an OpenAI-compatible address, and note what every call takes, until it is interrupted.

    Calls pass byte for byte, streams as they come. Keys pass too, and stay nowhere; no word of a call is kept. Who
    asks, and why, is said in the path, http://127.0.0.1:PORT/as/PRODUCT/PHASE/v1, or in the heads
    X-Memgauge-Product and X-Memgauge-Phase.

    Example: memgauge models meter http://127.0.0.1:8000/v1 --out metered --port 8100

    Parameters
    ----------
    url
        Where calls are passed on to: a server of this machine, or a provider, https://HOST/v1.
    out
        Folder that calls are appended in, as lines of JSON.
    port
        0 takes a free one, which is printed.
    max_usd
        Refuse what would cost more in all, by list prices.
    timeout
        Seconds that a model may be silent.
    """
    from memgauge.llm.metering.cap import MoneyCap
    from memgauge.llm.metering.log import CallLog
    from memgauge.llm.metering.proxy import MeteringProxy
    from memgauge.llm.metering.upstream import RelayLimits
    from memgauge.systems.models.counting_relay import free_models

    cap, limits = None if max_usd is None else MoneyCap(max_usd), RelayLimits(silence_s=timeout)
    with (
        CallLog(out) as log,
        MeteringProxy(url, log, cap=cap, free=lambda: free_models(url), limits=limits, port=port) as proxy,
    ):
        try:
            say(f"{proxy.url} passes on to {proxy.upstream}; calls are noted in {log.path}.")
            say(f"Use it: OPENAI_BASE_URL={proxy.url}, then `memgauge models spent {typed(out)}`.")
            Event().wait()
        except KeyboardInterrupt:
            say(f"Stopped. {log.lost} calls could not be written." if log.lost else "Stopped.")
    return OK


def spent(folder: Path, *, output: Output = SHOWN) -> int:
    """Say what models were asked through a proxy: calls, tokens, seconds and money, by product and phase.

    Example: memgauge models spent runs/metered

    Parameters
    ----------
    folder
        The --out of `memgauge models meter`, or the folder `metered` beside runs made with --meter.
    """
    from memgauge.llm.metering.log import calls_in
    from memgauge.llm.metering.summary import summarise_calls
    from memgauge.report.metered import document

    return present(document(summarise_calls(calls_in(folder))), output, name="spent")
