"""A watched memory is the memory to its host: its values, its errors, its iterators, its looks."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import logging
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.systems.protocol import Auditable, Mutable, implements
from memgauge.watch import counted, watch
from support.watched import Mem0Like, StoreLike, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Returning(Mem0Like):
    """Returns from every search what it is told, or raises it."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result

    def search(self, *args: Any, **kwargs: Any) -> Any:
        """Return or raise."""
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


class Broken:
    """Raises whatever is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(name)


class Endless(list[Any]):
    """A list that cannot be walked through."""

    def __iter__(self) -> Iterator[Any]:
        raise OSError("the cursor is closed")


STRANGE = (
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["results", "id", "memory", "score", "event"]), inner)
            | st.builds(lambda rows: {"results": rows}, st.lists(inner))
        ),
        max_leaves=8,
    )
    | st.builds(Broken)
    | st.builds(Endless, st.just([1]))
    | st.builds(lambda value: {"results": Endless([value])}, st.just(1))
    | st.just([{"id": "\ud800", "memory": "\ud800", "score": 10**400}])
)


@settings(max_examples=60)
@given(result=STRANGE, query=STRANGE)
def test_whatever_a_product_returns_is_returned_and_makes_a_row(
    result: Any, query: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The very object comes back, nothing is raised, and that a search was made is known at least."""
    folder = tmp_path_factory.mktemp("log")
    memory = watch(Returning(result), folder, salt="s", texts=True)
    assert memory.search(query, filters=query, top_k=query) is result
    assert [row["operation"] for row in rows_of(folder)] == ["search"]


@pytest.mark.parametrize("error", [ValueError("secret words"), KeyboardInterrupt(), TimeoutError()])
def test_the_error_of_a_product_is_the_error_of_the_call(error: BaseException, tmp_path: Path) -> None:
    """The very error is raised; of it the row has the name and not the words, which may be a user's."""
    memory = watch(Returning(error), tmp_path, salt="s")
    with pytest.raises(type(error)) as caught:
        memory.search("q")
    assert caught.value is error
    (row,) = rows_of(tmp_path)
    outcomes = {"KeyboardInterrupt": "cancelled", "TimeoutError": "timeout"}
    assert (row["outcome"], row["reason"]) == (
        outcomes.get(type(error).__name__, "error"),
        type(error).__name__,
    )
    assert "secret" not in str(row)


def test_iterators_are_left_to_the_host(tmp_path: Path) -> None:
    """A generator comes back unread, and the row says that what it returns is unknown."""
    hits = ({"id": f"m{n}", "memory": "text"} for n in range(3))
    memory = watch(Returning(hits), tmp_path, salt="s")
    assert memory.search("q") is hits
    assert len(list(hits)) == 3
    (row,) = rows_of(tmp_path)
    assert row["captured"] is False


def test_a_watched_memory_looks_like_the_memory(tmp_path: Path) -> None:
    """Class, attributes, special methods, signatures and copies are the memory's, and setting reaches it."""

    class Sized(Mem0Like):
        def __len__(self) -> int:
            return len(self.rows)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.closed = True

        def history(self, memory: str, scope: str) -> tuple[str, ...]:
            return (memory, scope)

    plain = Sized()
    memory = watch(plain, tmp_path, salt="s")
    assert isinstance(memory, Sized)
    assert memory.rows is plain.rows
    assert inspect.signature(memory.search) == inspect.signature(plain.search)
    assert (len(memory), bool(memory), repr(memory), hash(memory)) == (0, False, repr(plain), hash(plain))
    with memory as entered:
        entered.add("Ada likes tea", user_id="ada")
    assert (len(plain), plain.closed, memory.history("m", "s")) == (1, True, ("m", "s"))
    memory.rows = {}
    assert plain.rows == {}
    assert (implements(memory, Mutable), implements(memory, Auditable)) == (True, True)
    assert type(copy.copy(memory)) is Sized
    assert [row["operation"] for row in rows_of(tmp_path)] == ["upsert"]
    with pytest.raises(AttributeError, match="nothing"):
        memory.nothing  # type: ignore[attr-defined] # noqa: B018 - reading it is the point


def test_a_method_that_is_put_in_place_later_is_the_one_that_is_called(tmp_path: Path) -> None:
    """A host that patches its memory is not answered by what the memory had before."""
    memory = watch(Mem0Like(), tmp_path, salt="s")
    assert memory.search("q") == {"results": []}
    memory.search = lambda query, **_: {"results": [query]}  # type: ignore[method-assign]
    assert memory.search("patched") == {"results": ["patched"]}
    assert len(rows_of(tmp_path)) == 2


def test_what_is_no_memory_is_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """An object of no known shape works as it does, nothing is recorded, and a logger is told."""
    with caplog.at_level(logging.WARNING, "memgauge.watch"):
        words = watch(["a", "b"], tmp_path, salt="s")
    assert (words[0], len(words)) == ("a", 2)
    assert "list has the methods of no product" in caplog.text
    assert not list(tmp_path.iterdir())


def test_a_memory_that_is_odd_in_itself_is_left_to_its_host(tmp_path: Path) -> None:
    """Properties that raise, callables that cannot be compared or described: a host sees what it saw."""

    class Callable_:  # noqa: N801 - it stands for a function
        __dict__ = property(lambda self: 1 / 0)
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise ZeroDivisionError

        def __call__(self, *_: Any, **__: Any) -> dict[str, list[Any]]:
            return {"results": []}

    class Odd(Mem0Like):
        search = Callable_()

    class Unready:
        add = search = property(lambda self: 1 / 0)

    memory = watch(Odd(), tmp_path, salt="s")
    assert [memory.search("q"), memory.search("q")] == [{"results": []}] * 2
    assert len(rows_of(tmp_path)) == 2
    unready = watch(Unready(), tmp_path, salt="s")
    with pytest.raises(ZeroDivisionError):
        unready.search  # noqa: B018 - reading it is the point


def test_a_salt_is_needed(tmp_path: Path) -> None:
    """Names under an empty salt could be guessed by anybody."""
    with pytest.raises(ConfigError, match="is empty, so that anybody"):
        watch(Mem0Like(), tmp_path, salt="")
    with pytest.raises(ConfigError, match="is empty, so that anybody"):
        watch(Mem0Like(), tmp_path, salt="  ")


@pytest.mark.parametrize("salt", [None, 5])
def test_a_salt_is_text_or_bytes(tmp_path: Path, salt: object) -> None:
    """A variable that is not set is refused with a remedy, and a number, of which Python makes zeros."""
    with pytest.raises(ConfigError, match="is of type"):
        watch(Mem0Like(), tmp_path, salt=salt)  # type: ignore[arg-type] # that is what is refused


def test_what_is_watched_twice_in_a_folder_is_recorded_once(tmp_path: Path) -> None:
    """In another folder it is recorded again."""
    memory = watch(Mem0Like(), tmp_path / "a", salt="s")
    assert watch(memory, tmp_path / "a", salt="s") is memory
    elsewhere = watch(memory, tmp_path / "b", salt="s")
    elsewhere.get_all()
    elsewhere.delete_all()
    assert counted(memory) == counted(elsewhere) == {"written": 1}


def test_a_trouble_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Every trouble is counted, the first of a kind is said, without the words of anybody."""
    memory = watch(Returning([{"id": "m", "score": "ada's secret"}, Broken()]), tmp_path, salt="s")
    with caplog.at_level(logging.WARNING, "memgauge.watch"):
        for _ in range(3):
            memory.search("q")
    assert counted(memory) == {"written": 3, "unread": 3}
    assert len(caplog.records) == 1
    assert "secret" not in caplog.text


def test_what_cannot_be_read_is_not_kept(tmp_path: Path) -> None:
    """What a host was handed ends when the host lets go of it, without a collection."""
    returning = Returning(None)
    memory = watch(returning, tmp_path, salt="s")
    returning.result = {"results": Endless()}
    handed_over = weakref.ref(returning.result["results"])
    gc.disable()
    try:
        memory.search("cat", user_id="ada")
        returning.result = None
        assert counted(memory)["unread"] == 1
        assert handed_over() is None
    finally:
        gc.enable()


def test_threads_write_whole_rows_with_numbers_of_their_own(tmp_path: Path) -> None:
    """Eight threads at once lose, repeat and tear nothing."""
    memory = watch(Mem0Like(), tmp_path, salt="s")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: memory.search(f"q{n}"), range(800)))
    assert [row["seq"] for row in rows_of(tmp_path)] == list(range(800))


def test_what_is_awaited_is_recorded_when_it_ends(tmp_path: Path) -> None:
    """Coroutines stay coroutines, run side by side, and a cancelled one is in the record as that."""

    class Slow(StoreLike):
        async def aget(self, *_: Any) -> None:
            """Do nothing."""

        async def asearch(self, namespace_prefix: tuple[str, ...], /, **_: Any) -> Any:
            await asyncio.sleep(10 if namespace_prefix == ("slow",) else 0)
            return []

        def adelete(self, namespace: tuple[str, ...], key: str) -> Any:
            return self.aput(namespace, key, None)

    async def serve() -> None:
        memory = watch(Slow(), tmp_path, salt="s")
        assert inspect.iscoroutinefunction(memory.asearch)
        assert await asyncio.gather(*(memory.asearch(("quick",)) for _ in range(3))) == [[], [], []]
        await memory.adelete(("quick",), "key")
        slow = asyncio.create_task(memory.asearch(("slow",)))
        await asyncio.sleep(0)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow

    asyncio.run(serve())
    rows = rows_of(tmp_path)
    assert [row["operation"] for row in rows] == ["search"] * 3 + ["delete", "search"]
    assert rows[-1]["reason"] == "CancelledError"


def test_texts_and_names_are_written_only_where_a_host_says_so(tmp_path: Path) -> None:
    """No name is ever in the file, words are where they are asked for, and hashes without them are the same."""
    for folder, texts in (("without", False), ("with", True)):
        memory = watch(Mem0Like(), tmp_path / folder, salt="s", texts=texts, store="shop")
        memory.add("Ada likes tea", user_id="ada-lovelace")
        memory.search("What does she like?", filters={"user_id": "ada-lovelace"})
    without, with_ = (rows_of(tmp_path / folder) for folder in ("without", "with"))
    assert with_[1]["query"] == "What does she like?"
    assert with_[1]["records"][0][3] == "Ada likes tea"
    assert with_[1]["query_hash"] == without[1]["query_hash"]
    assert with_[1]["records"][0][:3] == without[1]["records"][0][:3]
    files = {path.parent.name: path.read_text("ascii") for path in tmp_path.rglob("*.jsonl")}
    assert not any(name in text for name in ("lovelace", "shop") for text in files.values())
    assert not any(word in files["without"] for word in ("tea", "like"))
