"""Keys that were handed out come back in no text, however they are spelt; ordinary words stay."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.scrubbing import (
    HIDDEN,
    KEY_NAME,
    Scrubber,
    is_telling,
    keys_in_arguments,
    keys_in_url,
    keys_of,
    scrubbed_error,
    without_keys,
)

KEY = "sk-Proj_9f8E7d6C/5b4A+zz==Q1w2"
SPELT = {
    "plain": KEY,
    "upper": KEY.upper(),
    "quoted": quote(KEY, safe=""),
    "quoted twice": quote(quote(KEY, safe=""), safe=""),
    "partly quoted": KEY.replace("-", "%2d").replace("/", "%2F"),
    "every character quoted": "".join(f"%{ord(each):02X}" for each in KEY),
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 behind a name": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(f"x:{KEY}".encode()).decode().rstrip("="),
    "base64 twice": base64.b64encode(base64.b64encode(KEY.encode())).decode(),
    "base32": base64.b32encode(KEY.encode()).decode(),
    "base85": base64.b85encode(KEY.encode()).decode(),
    "hex": KEY.encode().hex(),
    "hex with colons": KEY.encode().hex(":").upper(),
    "hex in base64": base64.b64encode(KEY.encode().hex().encode()).decode(),
    "json in json": json.dumps(json.dumps(KEY)),
    "unicode escapes": "".join(f"\\u{ord(each):04x}" for each in KEY),
    "entities": "".join(f"&#{ord(each)};" for each in KEY),
    "html": html.escape(f"<{KEY}>"),
    "quoted-printable": "".join(f"={ord(each):02X}" for each in KEY),
    "codes": str([ord(each) for each in KEY]),
    "backwards": KEY[::-1],
    "one by one": " ".join(KEY),
    "broken": f"{KEY[:14]}\n  {KEY[14:]}",
    "zero-width": "\u200b".join(KEY),
    "full width": "".join(chr(ord(each) + 0xFEE0) for each in KEY),
    "begun": KEY[:18],
    "ended": KEY[12:],
}


@pytest.mark.parametrize("form", SPELT.values(), ids=SPELT.keys())
def test_a_key_is_found_in_every_spelling(form: str) -> None:
    """Whatever stands around it, the text that holds it holds it no more."""
    text = Scrubber([KEY]).text(f"refused: {form} is no key")
    assert form not in text
    assert HIDDEN in text
    assert not Scrubber([KEY]).is_in(text)


_ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+=~"


@given(st.text(_ALPHABET, min_size=20, max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_no_key_is_left(key: str, before: str, after: str) -> None:
    """A long key of any make is in no text once it is scrubbed."""
    assert key not in Scrubber([key]).text(f"{before} {key} {after}")


@pytest.mark.parametrize("word", ["unused", "not-needed", "key", "x", "true", "20240304", "sunflower"])
def test_an_ordinary_word_is_no_key_where_it_stands_alone(word: str) -> None:
    """Used as a key it is taken out where it is called one, and nowhere else."""
    text = f"The {word} is under the mat, and the key is {word}; a bearer of {word} news."
    scrubber = Scrubber([word])
    assert scrubber.text(text) == text
    assert scrubber.text(f"Authorization: Bearer {word}!") == f"Authorization: Bearer {HIDDEN}!"
    assert scrubber.value({"api_key": word, "text": word}) == {"api_key": HIDDEN, "text": word}


def test_a_word_goes_where_an_error_is_about_it() -> None:
    """A message is no memory; and a word that says of itself that it is a key goes everywhere."""
    scrubber = Scrubber(["opensesame"])
    assert scrubber.error("refused: opensesame, opensesames") == f"refused: {HIDDEN}, opensesames"
    assert scrubber.text("say opensesame") == "say opensesame"
    replied = {"error": {"message": "not opensesame"}, "said": "opensesame"}
    assert scrubber.message(replied, "") == {"error": {"message": f"not {HIDDEN}"}, "said": "opensesame"}
    assert Scrubber(["supersecret"]).text("say supersecret") == f"say {HIDDEN}"


def test_a_short_key_goes_where_it_stands_alone() -> None:
    """Of letters and digits it is no word, and part of a longer one it is no key."""
    assert Scrubber(["ab12cd"]).text("no ab12cd, but xab12cdx") == f"no {HIDDEN}, but xab12cdx"


def test_letters_alone_are_a_key_where_no_word_is_so_long() -> None:
    """Sixteen of one case are found wherever they stand; fifteen may be a word."""
    assert is_telling("abcdefghijklmnop")
    assert not is_telling("abcdefghijklmno")
    assert Scrubber(["abcdefghijklmnop"]).text("say abcdefghijklmnop") == f"say {HIDDEN}"


def test_the_beginning_of_a_key_betrays_it_by_one_digit() -> None:
    """Twelve characters are enough, also where only the first of them is no letter."""
    assert Scrubber(["9abcdefghijklmnopqrst"]).text("not 9abcdefghijk") == f"not {HIDDEN}"


def test_json_is_scrubbed_in_names_texts_and_numbers() -> None:
    """What holds nothing is returned as it is."""
    digits = "12345678901234567"
    scrubber = Scrubber([KEY, digits])
    value = {"a": [KEY, 1, None, True], KEY: {"n": int(digits)}}
    assert scrubber.value(value) == {"a": [HIDDEN, 1, None, True], HIDDEN: {"n": HIDDEN}}
    assert scrubber.message(value, json.dumps(value)) == scrubber.value(value)
    clean = {"a": ["b"]}
    assert scrubber.message(clean, json.dumps(clean)) is clean
    assert not Scrubber([""])


def test_keys_are_known_by_the_names_of_variables() -> None:
    """And of what was handed on, by their look; places and small words are none."""
    variables = {
        "MY_KEY": KEY,
        "HOME": "/srv/ada",
        "KEY_FILE": "/srv/ada/key",
        "LICENCE": "9f8e7d6c5b4a39281706",
        "MODE": "production",
        "DATABASE_URL": "postgres://ada:s3cretpw9@host/db",
    }
    assert keys_of(variables) == {KEY, "s3cretpw9", "ada:s3cretpw9"}
    assert keys_of(variables, variables) == {KEY, "s3cretpw9", "ada:s3cretpw9", "9f8e7d6c5b4a39281706"}
    named = ("OPENAI_API_KEY", "HF_TOKEN", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "MY_KEY", "SSH_AUTH_SOCK")
    assert all(KEY_NAME.search(name) for name in named)
    assert not any(KEY_NAME.search(name) for name in ("PATH", "PWD", "KEYBOARD", "TOKENIZERS_PARALLELISM"))


def test_keys_are_known_in_addresses_and_commands() -> None:
    """A password, a value that is called a key, an option's value; no file and no number."""
    assert keys_in_url(f"https://h/mcp?api_key={quote(KEY, safe='')}&page=2") == {KEY}
    assert "s3cretpw9" in keys_in_url("https://ada:s3cretpw9@h/")
    assert keys_in_url("not an [address") == keys_in_url("http://[broken") == frozenset()
    command = ["server", "--api-key", KEY, "--token=abc", "--key-file=/etc/key", "--author", "Ada"]
    assert keys_in_arguments(command) == {KEY, "abc"}
    assert without_keys("http://ada:s3cretpw9@h/x") == f"http://{HIDDEN}@h/x"
    assert scrubbed_error("Bearer abcdefgh1 of sk-abc***xyz", ()) == f"{HIDDEN} of {HIDDEN}"
    assert not is_telling("1234567")


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcdefghijklmnopqrstuvwxyz1234567890ABCDEF",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIAIOSFODNN7EXAMPLE",
        "hf_AbCdEfGhIjKlMnOpQrStUvWx12345678",
    ],
)
def test_a_key_is_known_by_its_shape_wherever_it_stands(key: str) -> None:
    """Bare, or as the value of something that says nothing; a name of a file with such a beginning is none."""
    assert keys_in_arguments(["python", "w.py", key]) == {key}
    assert keys_in_arguments(["env", f"MY={key}", "python", "w.py"]) == {key}
    assert keys_in_arguments(["node", "./pk-memory-adapter-server.js", "sk-adapter-for-v2-of-it.py"]) == set()
