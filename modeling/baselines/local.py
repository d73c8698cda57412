"""A small language model with passages, in this process instead of behind an endpoint (Q24)."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from modeling import engines, weights
from modeling.base import MissingModel
from modeling.baselines.plain import PlainReader
from modeling.llm import Client, Completion, Endpoint, Message

_ROLE = "language-model"


class Local(Client):
    """A language model of this process, asked as an endpoint is. Its weights are loaded then."""

    def __init__(self, own: weights.Weights) -> None:
        super().__init__(Endpoint(url="", model=f"{own.name} {own.version}"))
        if weights.gguf_of(own.folder) and find_spec("gguf") is None:
            raise MissingModel(
                f"The model {own.name} is a file of GGUF, and the package gguf is not installed "
                "here. Run “make models” in Ambit's folder (docs/models.md)."
            )
        self._weights = own

    def chat(
        self,
        messages: Sequence[Message],
        *,
        most_tokens: int,
        as_json: bool = True,
        reasons: bool = False,
    ) -> Completion:
        return engines.load_language_model(self._weights).write_reply(messages, most_tokens)


class LocalReader(PlainReader):
    """What `llm-plain` does, by transformers. Option `model`: its weights; SmolLM2 by default."""

    key = "smollm2"
    label = "SmolLM2 with passages"
    _options: tuple[str, ...] = (*PlainReader._options, "model")

    def _connected(self, options: Mapping[str, str]) -> Client:
        return Local(weights.get_weights(_ROLE, options.get("model", "")))
