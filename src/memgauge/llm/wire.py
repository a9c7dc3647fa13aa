"""What every call to a provider shares: one loop, addresses, keys, and errors that hold no key."""

from __future__ import annotations

import asyncio
import inspect
import ipaddress
import os
import re
import shlex
import weakref
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

from memgauge.errors import (
    BudgetError,
    ConfigError,
    MemgaugeError,
    MissingExtraError,
    ModelError,
    TemporaryError,
    UnreachableError,
)
from memgauge.extras import lacking, pip
from memgauge.foreign import Raised, call_foreign
from memgauge.text.scrubbing import keys_of, scrubbed_error

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from pydantic_ai.providers import Provider

S = TypeVar("S")
T = TypeVar("T")

_OPENAI_URL = "https://api.openai.com/v1"

OPENAI = frozenset({"openai", "openai-chat", "openai-responses"})
"""How pydantic-ai calls what is spoken at any OpenAI-compatible address."""

_VARIABLE = re.compile(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`")
_LONGEST = 400

_starting = Lock()
_loops: dict[int, asyncio.AbstractEventLoop] = {}


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run *work* on the loop that all calls of this process share, and wait for it."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    finally:
        future.cancel()  # does nothing to what is done


def _loop() -> asyncio.AbstractEventLoop:
    """Return this process's loop; a forked process gets its own, since threads do not survive a fork."""
    with _starting:
        if os.getpid() not in _loops:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            Thread(target=loop.run_forever, name="memgauge-llm", daemon=True).start()
        return _loops[os.getpid()]


class ProviderClient(Generic[T]):
    """Something built on a provider: at the first use, once a process, and closed with its owner."""

    def __init__(self, build: Callable[[Provider[Any]], T], kind: str, base_url: str | None) -> None:
        self._build = build
        self._kind = kind
        self._base_url = base_url
        self._lock = Lock()
        self._built: tuple[int, T] | None = None
        self.secrets: frozenset[str] = frozenset()
        """The key in use, once there is one."""

    def get(self) -> T:
        """Return it, building it first where that is not done.

        Raises:
            ConfigError: No such provider, or its key or address is not in the environment.
            MissingExtraError: Its packages are absent.
        """
        with self._lock:
            if self._built is None or self._built[0] != os.getpid():
                provider = open_provider(self._kind, self._base_url)
                key = getattr(provider.client, "api_key", None)
                self.secrets = frozenset({key} if isinstance(key, str) else ())
                run(provider.__aenter__())
                weakref.finalize(self, _close, _loop(), provider)
                self._built = (os.getpid(), self._build(provider))
            return self._built[1]


def shielded(call: Callable[[], S], client: ProviderClient[Any], ref: str) -> S | MemgaugeError:
    """Call a provider's package, and let nothing out that could hold a key.

    An error is returned to be raised by the caller, so that no traceback leads to what the package held.
    """
    result = call_foreign(call)
    if not isinstance(result, Raised):
        return result
    if isinstance(result.error, ImportError):
        return missing_extra(split_ref(ref)[0], result.error)
    return translate(result.error, ref, client.secrets)


def _close(loop: asyncio.AbstractEventLoop, provider: Provider[Any]) -> None:
    """Close connections without waiting: this may be called by the garbage collector, on any thread."""
    if loop.is_running():
        asyncio.run_coroutine_threadsafe(provider.__aexit__(None, None, None), loop)


def split_ref(ref: str) -> tuple[str, str]:
    """Split ``provider:name``.

    Raises:
        ConfigError: One of the two is missing.
    """
    kind, _, name = ref.partition(":")
    if not kind or not name:
        raise ConfigError(f"{ref!r} names no model.", "Write provider:name, e.g. openai:gpt-4.1-mini.")
    return kind, name


def address(kind: str, base_url: str | None) -> str | None:
    """Return the address to speak to, from the argument or the usual variable; ``None`` is the provider's own."""
    chosen = base_url or (os.environ.get("OPENAI_BASE_URL") if kind in OPENAI else None)
    return None if chosen and urlsplit(chosen).hostname == urlsplit(_OPENAI_URL).hostname else chosen or None


def host_of(url: str | None) -> str:
    """Return host and port of *url*, without the name and key that may stand before them."""
    return urlsplit(url or "").netloc.rpartition("@")[2]


def is_local(url: str) -> bool:
    """Say whether *url* is on this machine or network, where servers ask for no key."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal"))


def open_provider(kind: str, base_url: str | None) -> Provider[Any]:
    """Open a provider by its name at its own address or another.

    Raises:
        ConfigError: No such provider, or its key or address is not in the environment.
        MissingExtraError: Its packages are absent.
    """
    where = address(kind, base_url)
    if kind in OPENAI and not os.environ.get("OPENAI_API_KEY") and not (where and is_local(where)):
        raise _no_key(kind, ["OPENAI_API_KEY"])
    try:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.providers import infer_provider, infer_provider_class

        factory: Callable[..., Provider[Any]] = infer_provider_class(kind)
        if kind in OPENAI:
            return _compatible(where) if where else factory(base_url=_OPENAI_URL)
        if where is None:
            return infer_provider(kind)
        if "base_url" not in inspect.signature(factory).parameters:
            raise ConfigError(f"Provider {kind} takes no address.", "Leave the address out.")
        return factory(base_url=where)
    except ImportError as error:
        raise missing_extra(kind, error) from None
    except UserError as error:
        raise _no_key(kind, _VARIABLE.findall(str(error)), scrub(str(error))) from None
    except ValueError:
        raise ConfigError(
            f"No provider is called {kind!r}.", "Take one that pydantic-ai knows: openai, anthropic, ollama, …"
        ) from None


def _compatible(where: str) -> Provider[Any]:
    """Speak what every OpenAI-compatible server understands, which older ones of OpenAI's own names are not."""
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    plain = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAICompatibleProvider(
        "openai",
        base_url=where,
        api_key=os.environ.get("OPENAI_API_KEY") or None,
        profile=lambda name: merge_profile(OpenAICompatibleProvider.model_profile(name), plain),
    )


def missing_extra(kind: str, error: ImportError) -> MissingExtraError:
    """Say which packages *kind* needs."""
    named = re.search(r"pydantic-ai-slim\[[\w-]+\]", str(error))
    what = f"The packages that speak to {kind} are not installed."
    if named and kind not in OPENAI:
        return MissingExtraError(what, f"Run: {pip(shlex.quote(named[0]))}")
    return lacking("llm", what)


def _no_key(kind: str, variables: list[str], otherwise: str = "") -> ConfigError:
    if not variables:
        return ConfigError(f"Provider {kind} cannot be opened: {otherwise}")
    return ConfigError(
        f"Provider {kind} needs {' or '.join(dict.fromkeys(variables))}.",
        "Set it in the environment; memgauge reads it at the call and keeps it nowhere.",
    )


def scrub(text: str, secrets: frozenset[str] = frozenset()) -> str:
    """Replace whatever may be a key: *secrets*, values of the environment named like keys, words like keys."""
    return scrubbed_error(text, secrets | keys_of(os.environ))


def translate(error: BaseException, ref: str, secrets: frozenset[str] = frozenset()) -> MemgaugeError:
    """Turn what a provider's package raised into ours, without any key.

    Nothing may pay for a thousand calls that are bound to fail, so that what a user has to mend is no
    :class:`ModelError`, which would be recorded as the outcome of one call.
    """
    from pydantic_ai import exceptions as theirs

    if isinstance(error, MemgaugeError):
        return error
    message = "it lacks what a reply holds" if isinstance(error, IndexError) else str(error)
    what = f"{ref}: {type(error).__name__}: {scrub(' '.join(message.split()), secrets)[:_LONGEST]}"
    ours: MemgaugeError = ModelError(what)
    match error:
        case theirs.ModelAuthenticationError() | theirs.ModelNotFoundError():
            ours = ConfigError(what, "Check the model's name, and the key in the environment.")
        case theirs.ModelQuotaExceededError():
            ours = BudgetError(f"{what} The provider's quota is used up; go on from here when it is raised.")
        case theirs.UserError():
            ours = ConfigError(what)
        case theirs.ModelRateLimitError() | theirs.ModelUnavailableError() | theirs.ModelServerError():
            ours = TemporaryError(what, retry_after=error.retry_after)
        case theirs.ModelHTTPError(status_code=408 | 409 | 425):
            ours = TemporaryError(what, retry_after=error.retry_after)
        case theirs.ModelHTTPError():
            pass
        case theirs.ModelConnectionError(phase="connect" | "pool" as phase):
            ours = UnreachableError(what) if phase == "connect" else TemporaryError(what)
        case theirs.ModelAPIError() | theirs.UnexpectedModelBehavior() | IndexError() | TimeoutError():
            ours = TemporaryError(what, paid=True)  # cut, late, or not what a provider replies
    return ours
