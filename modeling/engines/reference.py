"""Engines by transformers, the reference: in full precision, on a graphics card if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from modeling.base import ArticlePassage, MissingModel
from modeling.engines import pages, spans
from modeling.engines.base import (
    Allowed,
    AnswerSpan,
    AskedPage,
    GeneratedText,
    Limits,
    PageAnswer,
)
from modeling.engines.steps import EveryStep
from modeling.engines.tokens import (
    LONGEST,
    EncodedText,
    Pooling,
    Tokens,
    batch_by_length,
    is_dpr,
    load_pretrained,
    read_pooling,
)
from modeling.weights import Weights

# Tokens that go through a model at once. Of what only reads, more would leave a processor's cache
# (8,192 take a third more time than 1,024); what writes gains by each text that writes beside it,
# and takes up to 0.2 MB a token with T5-large.
_READ: Final = {"cpu": 1_024, "cuda": 32_768}
_WRITTEN: Final = {"cpu": 8_192, "cuda": 32_768}

Result = TypeVar("Result")
Tensors = dict[str, torch.Tensor]


class Model:
    """A model with its tokenizer. at_once: how many tokens go through it on each device.

    live: a model that is in training, which is used as it is; weights then name its tokenizer.
    """

    at_once: ClassVar = _READ

    def __init__(
        self, weights: Weights, kind: Any, live: Any = None, *, unused: str = "position_ids"
    ) -> None:
        self.tokenizer = Tokens(weights)
        if live is not None:
            self.model, self.device = live, live.device.type
            return
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        model, report = load_pretrained(
            kind, weights, dtype=torch.float32, output_loading_info=True
        )
        missing = sorted(name for name in report["missing_keys"] if unused not in name)
        if missing:
            raise MissingModel(
                f"The model {weights.name} has not been trained for “{weights.role}”: it has no "
                f"{missing[0]}. Name one that has, in AMBIT_MODELS (docs/models.md)."
            )
        self.model = model.eval().to(self.device)

    def run_batches(
        self,
        rows: Sequence[EncodedText],
        read: Callable[[Tensors], Iterable[Result]],
        *,
        share: int = 1,
    ) -> list[Result]:
        """Return a result for each row. share: how many times a row is in memory."""
        results: dict[int, Result] = {}
        with torch.inference_mode():
            for batch in batch_by_length(
                [len(row) for row in rows], self.at_once[self.device] // share
            ):
                read_now = _halved(
                    batch, lambda part: read(self._padded([rows[place] for place in part]))
                )
                results.update(zip(batch, read_now, strict=True))
        return [results[place] for place in range(len(rows))]

    def _padded(self, rows: Sequence[EncodedText]) -> Tensors:
        return {
            name: tensor.to(self.device) for name, tensor in pad_rows(self.tokenizer, rows).items()
        }


def pad_rows(tokenizer: Tokens, rows: Sequence[EncodedText]) -> Tensors:
    """Return what a model reads of rows of tokens: each tensor (rows, tokens of the longest)."""
    width = max(map(len, rows))
    ids = torch.full((len(rows), width), tokenizer.pad)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row.ids)
        types[number, : len(row)] = torch.tensor(row.types)
        mask[number, : len(row)] = 1
    tensors = {"input_ids": ids, "attention_mask": mask}
    if tokenizer.has_types:
        tensors["token_type_ids"] = types
    return tensors


def _halved(batch: list[int], read: Callable[[list[int]], Iterable[Result]]) -> list[Result]:
    """Return what is read of a batch, in halves where the graphics card has no room for it."""
    try:
        return list(read(batch))
    except torch.OutOfMemoryError:
        if len(batch) == 1:
            raise MissingModel(
                "The graphics card has too little memory for one input of this model. Use a "
                "smaller model, or none of the card: CUDA_VISIBLE_DEVICES=-1."
            ) from None
    torch.cuda.empty_cache()
    middle = len(batch) // 2
    return [*_halved(batch[:middle], read), *_halved(batch[middle:], read)]


# --- What writes --------------------------------------------------------------------------------


class _Writer(Model):
    """An encoder-decoder."""

    at_once = _WRITTEN

    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, transformers.AutoModelForSeq2SeqLM, live)
        clean_generation(self.model, self.tokenizer)

    def write(self, limits: Limits, **inputs: Any) -> list[list[int]]:
        """Return the tokens written for each row, up to the one that ends them."""
        rows = self.model.generate(
            **inputs,
            max_new_tokens=self.tokenizer.readable_tokens(limits.tokens_out + 1) - 1,
            num_beams=limits.beams,
            do_sample=False,
            early_stopping=limits.beams > 1,
            stopping_criteria=[EveryStep(len(inputs["attention_mask"]))],
        )
        return [self._ended(row[1:]) for row in rows.tolist()]

    def decode_text(self, ids: list[int], tokens_in: int) -> GeneratedText:
        return GeneratedText(self.tokenizer.decode_tokens(ids), tokens_in, len(ids))

    def _ended(self, row: list[int]) -> list[int]:
        end = self.tokenizer.end
        return row[: row.index(end) + 1] if end in row else row


def clean_generation(model: Any, tokenizer: Tokens) -> None:
    """Leave of a model's settings for writing those that say where a text begins and ends.

    Released models carry settings of the task they were shown with, such as a minimum length.
    """
    own = model.generation_config
    model.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=own.decoder_start_token_id,
        forced_bos_token_id=own.forced_bos_token_id,
        bos_token_id=own.bos_token_id,
        eos_token_id=tokenizer.end,
        pad_token_id=tokenizer.pad,
    )


class _Generator(_Writer):
    def generate(self, inputs: Sequence[str], limits: Limits) -> list[GeneratedText]:
        def read(tensors: Tensors) -> list[list[int]]:
            tensors.pop("token_type_ids", None)
            return self.write(limits, **tensors)

        rows = self.tokenizer.encode(inputs, limits.tokens_in)
        ids = self.run_batches(rows, read, share=limits.beams)
        return [self.decode_text(out, len(row)) for out, row in zip(ids, rows, strict=True)]


class _FusionWriter(_Writer):
    """The encoder reads each text alone, the decoder all of them (Izacard and Grave 2021)."""

    @property
    def end(self) -> int:
        return self.tokenizer.end

    def plain_tokens(self, text: str) -> list[int]:
        return list(self.tokenizer.encode_plain([text])[0].ids)

    def generate(
        self, inputs: Sequence[Sequence[str]], limits: Limits, allowed: Allowed | None = None
    ) -> list[GeneratedText]:
        rows = [self.tokenizer.encode(texts or [""], limits.tokens_in) for texts in inputs]
        lengths = [sum(map(len, row)) for row in rows]
        written: dict[int, GeneratedText] = {}
        with torch.inference_mode():
            for batch in batch_by_length(lengths, self.at_once[self.device] // limits.beams):
                ids = _halved(
                    batch,
                    lambda part: self._fused([rows[place] for place in part], limits, allowed),
                )
                for place, out in zip(batch, ids, strict=True):
                    written[place] = self.decode_text(out, lengths[place])
        return [written[place] for place in range(len(rows))]

    def measure_written(
        self, texts: Sequence[str], limits: Limits
    ) -> tuple[list[int], list[float]]:
        """Return the tokens written for texts, and how likely each is after those before it."""
        with torch.inference_mode():
            joined, mask = join_states(
                [torch.cat(self._states(self.tokenizer.encode(texts, limits.tokens_in)))]
            )
            read = {
                "encoder_outputs": transformers.modeling_outputs.BaseModelOutput(joined),
                "attention_mask": mask,
            }
            (ids,) = self.write(limits, **read)
            start = self.model.generation_config.decoder_start_token_id
            before = torch.tensor([[start, *ids[:-1]]], device=joined.device)
            shares = self.model(**read, decoder_input_ids=before).logits[0].softmax(-1)
        return ids, [float(share[token]) for share, token in zip(shares, ids, strict=True)]

    def _fused(
        self, rows: Sequence[Sequence[EncodedText]], limits: Limits, allowed: Allowed | None
    ) -> list[list[int]]:
        joined, mask = join_states([torch.cat(self._states(row)) for row in rows])
        inputs: dict[str, Any] = {
            "encoder_outputs": transformers.modeling_outputs.BaseModelOutput(joined),
            "attention_mask": mask,
        }
        if allowed is not None:
            inputs["prefix_allowed_tokens_fn"] = self._only(allowed)
        return self.write(limits, **inputs)

    def _states(self, rows: Sequence[EncodedText]) -> list[torch.Tensor]:
        """Return what the encoder makes of each text, a row for each of its tokens."""
        encoder = self.model.get_encoder()

        def read(tensors: Tensors) -> list[torch.Tensor]:
            mask = tensors["attention_mask"]
            out = encoder(input_ids=tensors["input_ids"], attention_mask=mask).last_hidden_state
            return [state[: int(part.sum())] for state, part in zip(out, mask, strict=True)]

        return self.run_batches(rows, read)

    def _only(self, allowed: Allowed) -> Callable[[int, torch.Tensor], list[int]]:
        """Return what transformers asks for the tokens that may come next."""
        done = {self.end, self.tokenizer.pad}

        def may(_: int, ids: torch.Tensor) -> list[int]:
            before = ids.tolist()
            if len(before) > 1 and before[-1] in done:
                return [self.end]
            return allowed(before) or [self.end]

        return may


def join_states(states: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what a decoder reads of several questions: states side by side, and their mask.

    states: for each question, what the encoder made of all of its texts, (tokens, size).
    """
    joined = torch.nn.utils.rnn.pad_sequence(list(states), batch_first=True)
    mask = torch.zeros(joined.shape[:2], dtype=torch.long, device=joined.device)
    for number, state in enumerate(states):
        mask[number, : len(state)] = 1
    return joined, mask


# --- What reads ---------------------------------------------------------------------------------


class _Encoder(Model):
    """DPR's encoders, or any encoder of sentences as sentence-transformers saves it."""

    def __init__(self, weights: Weights, live: Any = None) -> None:
        self._pooling = read_pooling(weights)
        kinds = {
            "question": transformers.DPRQuestionEncoder,
            "passage": transformers.DPRContextEncoder,
        }
        kind = kinds.get(self._pooling.dpr, transformers.AutoModel)
        super().__init__(weights, kind, live, unused="pooler.")
        self.size = int(self.model.config.hidden_size)
        if self._pooling.dpr:
            self.size = int(self.model.config.projection_dim or self.size)

    def encode(
        self, texts: Sequence[str], titles: Sequence[str] | None = None
    ) -> NDArray[np.float32]:
        rows = self._pooling.encode_texts(self.tokenizer, texts, titles)
        vectors = self.run_batches(rows, self._vectors)
        return np.stack(vectors) if vectors else np.zeros((0, self.size), dtype=np.float32)

    def _vectors(self, tensors: Tensors) -> NDArray[np.float32]:
        vectors = pool_vectors(self.model, tensors, self._pooling)
        array: NDArray[np.float32] = vectors.float().cpu().numpy()
        return array


def pool_vectors(model: Any, tensors: Tensors, pooling: Pooling) -> torch.Tensor:
    """Return one vector for each text, (texts, size)."""
    out = model(**tensors)
    if pooling.dpr:
        vectors = out.pooler_output
    elif pooling.first:
        vectors = out.last_hidden_state[:, 0]
    else:
        mask = tensors["attention_mask"].unsqueeze(-1)
        vectors = (out.last_hidden_state * mask).sum(1) / mask.sum(1)
    if pooling.unit:
        vectors = torch.nn.functional.normalize(vectors)
    pooled: torch.Tensor = vectors
    return pooled


class _Scorer(Model):
    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, transformers.AutoModelForSequenceClassification, live)

    def score_passages(self, question: str, passages: Sequence[ArticlePassage]) -> list[float]:
        rows = self.tokenizer.encode(
            [question] * len(passages), LONGEST, [f"{one.title} {one.text}" for one in passages]
        )
        return self.run_batches(rows, self._scores)

    def _scores(self, tensors: Tensors) -> list[float]:
        logits = self.model(**tensors).logits
        scores = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return [float(score) for score in scores]


class _Classifier(Model):
    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, transformers.AutoModelForSequenceClassification, live)
        if self.model.config.num_labels != 2:
            raise MissingModel(
                f"The model {weights.name} has {self.model.config.num_labels} classes, and "
                f"“{weights.role}” needs two."
            )

    def predict_likelihoods(self, texts: Sequence[str]) -> list[float]:
        def read(tensors: Tensors) -> list[float]:
            shares = self.model(**tensors).logits.softmax(-1)[:, 1]
            return [float(share) for share in shares]

        return self.run_batches(self.tokenizer.encode(texts, LONGEST), read)


class _PageReader(Model):
    """Any model for question answering, on whole pages."""

    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, transformers.AutoModelForQuestionAnswering, live)

    def read_pages(self, asked: Sequence[AskedPage]) -> list[PageAnswer | None]:
        return pages.read_pages(
            self.tokenizer, asked, lambda windows: self.run_batches(windows, self._logits)
        )

    def _logits(self, tensors: Tensors) -> list[pages.Logits]:
        out = self.model(**tensors)
        starts, ends = out.start_logits.float(), out.end_logits.float()
        return list(zip(starts.cpu().numpy(), ends.cpu().numpy(), strict=True))


class _Reader(Model):
    """DPR's reader, which also judges whole passages, or any model for question answering."""

    def __init__(self, weights: Weights, live: Any = None) -> None:
        self._dpr = is_dpr(weights)
        kinds = (transformers.AutoModelForQuestionAnswering, transformers.DPRReader)
        super().__init__(weights, kinds[self._dpr], live)

    def find_spans(
        self, question: str, passages: Sequence[ArticlePassage], top: int
    ) -> list[AnswerSpan]:
        encode = self.tokenizer.dpr_pages if self._dpr else self.tokenizer.encode_passages
        pages = encode(question, passages, LONGEST)
        read = self.run_batches(pages, self._logits)
        starts, ends, relevance = zip(*read, strict=True) if read else ((), (), ())
        return spans.choose_best_spans(
            passages, pages, starts, ends, relevance if self._dpr else None, top
        )

    def _logits(
        self, tensors: Tensors
    ) -> list[tuple[NDArray[np.float32], NDArray[np.float32], float]]:
        out = self.model(**tensors)
        starts, ends = out.start_logits.cpu().numpy(), out.end_logits.cpu().numpy()
        judged = out.relevance_logits.tolist() if self._dpr else [0.0] * len(starts)
        return list(zip(starts, ends, judged, strict=True))


generator, fused, encoder = _Generator, _FusionWriter, _Encoder
scorer, classifier, reader, page_reader = _Scorer, _Classifier, _Reader, _PageReader
