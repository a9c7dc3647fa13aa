"""What lies packed is unpacked, and every layer is named, the outermost first."""

from __future__ import annotations

import base64
import bz2
import gzip
import lzma
import zlib
from typing import TYPE_CHECKING

import pytest

from memgauge.text.forms import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

SAID = b"My bank is Quillback, in the old town of Veldrup."
LAYERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zlib": zlib.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "base64": base64.b64encode,
    "hex": lambda data: data.hex().encode(),
    "base32": base64.b32encode,
    "bytes in decimal": lambda data: ", ".join(map(str, data)).encode(),
}


@pytest.mark.parametrize("codec", LAYERS)
def test_a_layer_is_named(codec: str) -> None:
    """Whatever stands before and behind it."""
    data = b"before " + LAYERS[codec](SAID) + b" behind"
    assert (codec,) in {packed.codecs for packed in unpacked(data) if SAID in packed.data}


@pytest.mark.parametrize("name", ["Гавриил Сомов", "佐藤美咲大橋", "นภัสสร", "Νικολέττα"])
@pytest.mark.parametrize("codec", ["base64", "hex", "base32", "bytes in decimal"])
def test_letters_of_several_bytes_are_text(codec: str, name: str) -> None:
    """A name that is written in no ASCII is told from noise where it was encoded, as one in Latin letters is."""
    data = LAYERS[codec](name.encode())
    assert name in {packed.data.decode("utf-8", "replace") for packed in unpacked(data)}


@pytest.mark.parametrize("outer", ["gzip", "zlib", "bzip2", "xz"])
@pytest.mark.parametrize("inner", ["base64", "hex", "base32"])
def test_layers_are_named_from_the_outside(outer: str, inner: str) -> None:
    """Of what is long enough to be packed, and not stored as it is."""
    data = LAYERS[outer](LAYERS[inner](SAID * 8))
    assert (outer, inner) in {packed.codecs for packed in unpacked(data) if SAID in packed.data}
