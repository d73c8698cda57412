"""Talk with a language model that runs in this process, by transformers.

Its weights are a folder as transformers saves it, or one file of GGUF, whose numbers of a few bits
are made whole again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import transformers

from modeling.base import MissingModel
from modeling.engines.steps import EveryStep
from modeling.llm import Completion, Message
from modeling.weights import Weights, gguf_of


class _Talker:
    """A model that goes on with a text, with its tokenizer."""

    def __init__(self, weights: Weights) -> None:
        transformers.utils.logging.disable_progress_bar()
        try:
            self._tokenizer, model = _opened(weights)
        except Exception as error:  # as in `tokens.opened`
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise MissingModel(
                f"The model {weights.name} cannot be used for “{weights.role}”: {reason[:300]}"
            ) from error
        if not self._tokenizer.chat_template:
            raise MissingModel(
                f"The model {weights.name} has no template for messages, so it cannot be asked."
            )
        self._model = model.eval()
        self._end = self._tokenizer.eos_token_id
        self._most = int(model.config.max_position_embeddings)

    def write_reply(self, messages: Sequence[Message], most_tokens: int) -> Completion:
        """Return what the model writes: always the likeliest next token.

        Of messages that are too long the beginning is left out.
        """
        ids = self._ids(messages, most_tokens)
        with torch.inference_mode():
            (row,) = self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=most_tokens,
                do_sample=False,
                stopping_criteria=[EveryStep(1)],
                eos_token_id=self._end,
                pad_token_id=self._end,
            )
        written = row[ids.shape[1] :].tolist()
        text = self._tokenizer.decode(written, skip_special_tokens=True).strip()
        return Completion(text, ids.shape[1], len(written), cut=self._end not in written)

    def _ids(self, messages: Sequence[Message], most_tokens: int) -> Any:
        rows = self._tokenizer.apply_chat_template(
            [dict(message) for message in messages],
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
        )
        return rows["input_ids"][:, -max(self._most - most_tokens, 1) :]


def _opened(weights: Weights) -> tuple[Any, Any]:
    """Return tokenizer and model."""
    where: dict[str, Any] = {"local_files_only": True}
    file = gguf_of(weights.folder)
    if file is None:
        kind = transformers.AutoModelForCausalLM
        model = kind.from_pretrained(weights.folder, dtype=torch.float32, **where)
        return transformers.AutoTokenizer.from_pretrained(weights.folder, **where), model
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

    # from_pretrained would want another package for this, accelerate.
    where["gguf_file"] = file.name
    config = transformers.AutoConfig.from_pretrained(weights.folder, **where)
    model = transformers.AutoModelForCausalLM.from_config(config)
    tensors = load_gguf_checkpoint(str(file), return_tensors=True, model_to_load=model)["tensors"]
    left = model.load_state_dict(tensors, strict=False).missing_keys
    model.tie_weights()
    if left and not (left == ["lm_head.weight"] and config.tie_word_embeddings):
        raise ValueError(f"it has no {left[0]}.")
    return transformers.AutoTokenizer.from_pretrained(weights.folder, **where), model


talker = _Talker
