"""Chat with a language model behind any endpoint that speaks OpenAI's chat completions.

The endpoint is this installation's choice (`AMBIT_LLM_URL`), so it may be on a private network. Its
replies are from outside: bounded in time and size, and never trusted to have the shape they should.
The key is sent to that address only and is taken out of whatever comes back.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlsplit

import requests
from django.conf import settings
from urllib3.exceptions import HTTPError, ReadTimeoutError

from modeling.base import MissingModel
from wikipedia.providers.http import seconds_of

MOST_BYTES: Final = 4_000_000
TRIES: Final = 4
LONGEST_WAIT: Final = 60.0  # seconds; an endpoint that wants more is given up for this question
_CONNECT_SECONDS: Final = 5.0
_CHUNK: Final = 64 * 1024
_MOST_TOKENS: Final = 10**9
_MILLION: Final = 1_000_000
_SHORTEST_SECRET: Final = 6  # shorter keys, such as "none", are words that answers may hold

Message = Mapping[str, str]
pause = time.sleep


class NoReply(Exception):
    """There is no reply to this question. The message is a sentence without secrets.

    alone: whether it is about this question; otherwise the endpoint does not answer at all.
    """

    def __init__(self, sentence: str, *, alone: bool = True) -> None:
        super().__init__(sentence)
        self.alone = alone


class RefusedReply(NoReply):
    """The model, or what guards it, says that it does not reply to this."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is and what it costs. Prices are per million tokens; None: not known."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    seconds: float = 120.0

    @property
    def host(self) -> str:
        """The name of its host, which sentences may show."""
        return urlsplit(self.url).hostname or "the endpoint"

    def token_cost(self, tokens_in: int, tokens_out: int) -> Decimal | None:
        """Return what the tokens cost, None where a price is not known."""
        if self.price_in is None or self.price_out is None:
            return None
        return (tokens_in * self.price_in + tokens_out * self.price_out) / _MILLION


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote; `cut` where it was stopped by the maximum number of tokens."""

    text: str
    tokens_in: int
    tokens_out: int
    cut: bool


def get_endpoint() -> Endpoint:
    """Return the endpoint of the settings. Raises MissingModel where it is not set."""
    missing = [
        name
        for name, value in (
            ("AMBIT_LLM_URL", settings.LLM_URL),
            ("AMBIT_LLM_MODEL", settings.LLM_MODEL),
        )
        if not value
    ]
    if missing:
        raise MissingModel(
            f"No language model is set up: set {' and '.join(missing)} in the environment "
            "(docs/settings.md) and restart the worker."
        )
    return Endpoint(
        url=settings.LLM_URL,
        model=settings.LLM_MODEL,
        key=settings.LLM_KEY,
        price_in=settings.LLM_PRICE_IN,
        price_out=settings.LLM_PRICE_OUT,
        seconds=settings.LLM_SECONDS,
    )


class Client:
    """A session with one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        if not (endpoint.key.isascii() and endpoint.key.isprintable()):
            raise MissingModel(
                "AMBIT_LLM_KEY holds a character that no key has, such as a line break. "
                "Copy the key again."
            )
        self.endpoint = endpoint
        self._session = requests.Session()
        self._session.trust_env = False  # a .netrc would replace the key
        if endpoint.key:
            self._session.headers["Authorization"] = f"Bearer {endpoint.key}"

    def chat(
        self,
        messages: Sequence[Message],
        *,
        most_tokens: int,
        as_json: bool = True,
        reasons: bool = False,
    ) -> Completion:
        """Return the model's reply, at temperature 0 unless it is a model that `reasons`.

        Tries again, up to four times in all, when the endpoint is busy, fails or is silent. Raises
        NoReply, and MissingModel where it refuses the key or does not know the model.
        """
        body: dict[str, Any] = {"model": self.endpoint.model, "messages": list(messages)}
        if reasons:
            body["max_completion_tokens"] = most_tokens
        else:
            body |= {"temperature": 0, "seed": 0, "max_tokens": most_tokens}
        if as_json:
            body["response_format"] = {"type": "json_object"}
        for tries in range(1, TRIES + 1):
            problem, wait = f"{self.endpoint.host} does not answer.", float(2 ** (tries - 1))
            try:
                status, headers, content = self._post(body)
            except (requests.Timeout, ReadTimeoutError, TimeoutError):
                problem = f"{self.endpoint.host} gave no answer in {self.endpoint.seconds:g} s."
            except (requests.RequestException, HTTPError, OSError, ValueError):
                pass  # their messages may hold the address with a password
            else:
                if status == 200:
                    return self._completion(content)
                problem = self._refusal(status, content)
                if status != 429 and status < 500:
                    raise NoReply(problem)
                wait = self._wait(headers, wait, problem)
            if tries < TRIES:
                pause(wait)
        raise NoReply(f"{problem} It was asked {TRIES} times.", alone=False)

    def redact(self, text: str) -> str:
        """Return the text without the key."""
        key = self.endpoint.key
        return text.replace(key, "[key]") if len(key) >= _SHORTEST_SECRET else text

    def _post(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        deadline = time.monotonic() + self.endpoint.seconds
        timeout = (min(_CONNECT_SECONDS, self.endpoint.seconds), self.endpoint.seconds)
        url = f"{self.endpoint.url.rstrip('/')}/chat/completions"
        with self._session.post(
            url, json=body, timeout=timeout, stream=True, allow_redirects=False
        ) as response:
            pieces: list[bytes] = []
            size = 0
            while piece := response.raw.read1(_CHUNK, decode_content=True):
                size += len(piece)
                if size > MOST_BYTES:
                    raise NoReply(f"The reply is larger than {MOST_BYTES // 1_000_000} MB.")
                if time.monotonic() > deadline:  # a slow server restarts the socket's own clock
                    raise TimeoutError
                pieces.append(piece)
            return response.status_code, response.headers, b"".join(pieces)

    def _wait(self, headers: Mapping[str, str], wait: float, problem: str) -> float:
        """Return how many seconds to wait: what the endpoint asks for, or `wait`."""
        asked = seconds_of(headers.get("Retry-After", ""))
        if asked is None:
            return wait
        if asked > LONGEST_WAIT:
            raise NoReply(f"{problem} It asks to be left alone for {asked:,.0f} s.", alone=False)
        return asked

    def _refusal(self, status: int, content: bytes) -> str:
        """Return the sentence for a status other than 200."""
        host = self.endpoint.host
        if status in (401, 403):
            raise MissingModel(f"{host} refuses the key ({status}). Set AMBIT_LLM_KEY.")
        if status == 404:
            raise MissingModel(
                f"{host} does not know the address or the model “{self.endpoint.model}” (404). "
                "Check AMBIT_LLM_URL, which usually ends in /v1, and AMBIT_LLM_MODEL."
            )
        if 300 <= status < 400:
            raise MissingModel(
                f"{host} sends us to another address ({status}). Set AMBIT_LLM_URL to that one."
            )
        message = self._message(content)
        return f"{host} answered {status}{f': {message}' if message else '.'}"

    def _message(self, content: bytes) -> str:
        """Return what the endpoint says about an error, shortened, without the key."""
        error = _get(_parsed(content), "error")
        text = error if isinstance(error, str) else _get(error, "message")
        if not isinstance(text, str):
            return ""
        return " ".join("".join(filter(_is_shown, self.redact(text))).split())[:200]

    def _completion(self, content: bytes) -> Completion:
        data = _parsed(content)
        choices = _get(data, "choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        text = _get(_get(choice, "message"), "content")
        if _get(choice, "finish_reason") == "content_filter" or (
            isinstance(_get(_get(choice, "message"), "refusal"), str)
        ):
            raise RefusedReply(f"{self.endpoint.host} refused to reply.")
        if not isinstance(text, str):
            raise NoReply(f"{self.endpoint.host} answered without a text.")
        usage = _get(data, "usage")
        return Completion(
            text=self.redact(text),
            tokens_in=_count(_get(usage, "prompt_tokens")),
            tokens_out=_count(_get(usage, "completion_tokens")),
            cut=_get(choice, "finish_reason") == "length",
        )


def _parsed(content: bytes) -> object:
    """Return the JSON of a response, None where it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _get(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _count(value: object) -> int:
    """Return a number of tokens, 0 where it cannot be one."""
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value <= _MOST_TOKENS else 0  # type: ignore[operator, return-value]


def _is_shown(character: str) -> bool:
    return character.isprintable() or character.isspace()
