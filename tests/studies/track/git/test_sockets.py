"""Sockets in threads of their own: so many requests at a time, in the order in which they came."""

from __future__ import annotations

import threading
import time

import pytest

from memgauge.studies.track.git.sockets import Slots


def test_whoever_waits_longest_is_next() -> None:
    """One slot, ten threads: each comes before those that came after it, however often the first comes again."""
    slots, order, threads = Slots(1), list[int](), list[threading.Thread]()

    def use(number: int) -> None:
        with slots:
            order.append(number)

    with slots:
        for number in range(10):
            thread = threading.Thread(target=use, args=(number,))
            threads.append(thread)
            thread.start()
            while len(slots._waiting) <= number:
                time.sleep(0.001)
    use(10)
    for thread in threads:
        thread.join()
    assert order == list(range(11))


def test_never_more_than_there_are_slots() -> None:
    """Three of twenty at a time, also where one leaves by an error; in the end all are free."""
    slots, inside, most, lock = Slots(3), set[int](), list[int](), threading.Lock()

    def use(number: int) -> None:
        with slots:
            with lock:
                inside.add(number)
                most.append(len(inside))
            time.sleep(0.002)
            with lock:
                inside.remove(number)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 3
    with pytest.raises(KeyError), slots:
        raise KeyError
    assert slots._free == 3
