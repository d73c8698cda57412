"""What trainings make small. Loads torch.

Every loss is a sum over the items of a batch (its tokens, questions or pairs); whoever calls it
divides by the items of all batches of a step, so that a step is the same in however many batches.
That of encoders is not: there the other passages of the batch are what is compared.

Sources: Karpukhin et al. 2020, section 3.2, and its code for readers, which AmbigQA's takes over
(Min et al. 2020, section 5); Clark and Gardner 2018 for readers that do not judge whole passages.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
import transformers
from torch.nn import functional

from modeling.engines.reference import join_states, pool_vectors
from modeling.engines.tokens import Pooling
from modeling.training.tensors import IGNORED, Batch

Loss = Callable[[Any, Batch], torch.Tensor]
# What vectors of length 1 are multiplied by, as sentence-transformers does: else no passage of a
# batch can be much likelier than another.
UNIT_SCALE: Final = 20.0
_READ: Final = ("input_ids", "attention_mask", "token_type_ids")


def written_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return the cross-entropy of the tokens to be written."""
    labels = batch["labels"]
    before = model.prepare_decoder_input_ids_from_labels(labels)
    logits = model(**_read(batch), decoder_input_ids=before, use_cache=False).logits
    return _count_loss(logits, labels)


def fused_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return the same where the decoder reads several inputs, each encoded alone (FiD)."""
    joined, mask = read_together(model, batch)
    return _count_loss(run_decoder(model, batch["labels"], joined, mask), batch["labels"])


def read_together(model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what the encoder makes of each example's texts, each encoded alone, and its mask.

    The states are (examples, tokens, size).
    """
    read = _read(batch)
    encoded = model.get_encoder()(**read).last_hidden_state
    lengths = read["attention_mask"].sum(1).tolist()
    states = [state[:length] for state, length in zip(encoded, lengths, strict=True)]
    together, start = [], 0
    for count in batch["counts"].tolist():
        together.append(torch.cat(states[start : start + count]))
        start += count
    return join_states(together)


def run_decoder(
    model: Any, labels: torch.Tensor, states: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """Return the logits of each token given those before it, (rows, tokens, vocabulary)."""
    before = model.prepare_decoder_input_ids_from_labels(labels)
    outputs = transformers.modeling_outputs.BaseModelOutput(states)
    written = model(
        encoder_outputs=outputs, attention_mask=mask, decoder_input_ids=before, use_cache=False
    )
    logits: torch.Tensor = written.logits
    return logits


def _count_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(
        logits.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )


def classified_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return the cross-entropy of the classes."""
    logits = model(**_read(batch)).logits
    return functional.cross_entropy(logits.float(), batch["labels"], reduction="sum")


def ranked_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return the binary cross-entropy of each pair of a question and a passage."""
    logits = model(**_read(batch)).logits.float()
    scores = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    return functional.binary_cross_entropy_with_logits(scores, batch["labels"], reduction="sum")


def span_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return how unlikely it is that any of the places of an answer is found, for all questions.

    A reader that judges passages has to find the one with an answer, and a place in it; another has
    to find a place among the tokens of all passages of the question.
    """
    out = model(**_read(batch))
    outside = ~batch["inside"]
    starts = out.start_logits.float().masked_fill(outside, -torch.inf)
    ends = out.end_logits.float().masked_fill(outside, -torch.inf)
    judged = getattr(out, "relevance_logits", None)
    losses, first = [], 0
    for number, count in enumerate(batch["counts"].tolist()):
        own = slice(first, first + count)
        begins, stops = batch["begins"][number], batch["ends"][number]
        real = begins >= 0
        if judged is None:
            start, end = _shares(starts[own]), _shares(ends[own])
        else:
            start, end = starts[first].log_softmax(0), ends[first].log_softmax(0)
            losses.append(-judged[own].float().log_softmax(0)[0])
        losses.append(-torch.logsumexp(start[begins[real]] + end[stops[real]], 0))
        first += count
    return torch.stack(losses).sum()


def page_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return the mean of the cross-entropies of first and last tokens, for all windows.

    The first mark of a window stands for no answer. What pads a window is no token of it.
    """
    out = model(**_read(batch))
    padded = batch["attention_mask"] == 0
    starts = out.start_logits.float().masked_fill(padded, -torch.inf)
    ends = out.end_logits.float().masked_fill(padded, -torch.inf)
    return 0.5 * (
        functional.cross_entropy(starts, batch["begins"], reduction="sum")
        + functional.cross_entropy(ends, batch["ends"], reduction="sum")
    )


def _shares(logits: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of the shares, among all passages, of the first one's tokens."""
    return logits.flatten().log_softmax(0)[: logits.shape[1]]


def embedded_loss(pooling: Pooling) -> Loss:
    """Return the loss of an encoder: cross-entropy over the passages of the batch."""
    scale = UNIT_SCALE if pooling.unit else 1.0

    def loss(model: Any, batch: Batch) -> torch.Tensor:
        questions = pool_vectors(model, batch["questions"], pooling).float()
        passages = pool_vectors(model, batch["passages"], pooling).float()
        scores = (scale * questions @ passages.T).masked_fill(batch["masked"], -torch.inf)
        return functional.cross_entropy(scores, batch["targets"], reduction="sum")

    return loss


def _read(batch: Batch) -> dict[str, torch.Tensor]:
    return {name: batch[name] for name in _READ if name in batch}
