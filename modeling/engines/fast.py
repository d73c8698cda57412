"""Engines in whole numbers of eight bits: CTranslate2 writes, onnxruntime reads.

They run what `manage.py convert_model` made, two to four times as fast on a processor as the
reference, from files of a quarter of the size. Texts, tokens and order are those of the reference.
Numbers differ a little, those that onnxruntime gives also with the other texts of a batch, whose
activations share one scale; so a model has another version here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from modeling.base import ArticlePassage, MissingModel
from modeling.engines import pages, spans
from modeling.engines.base import AnswerSpan, AskedPage, GeneratedText, Limits, PageAnswer
from modeling.engines.premises import encode_pairs, find_entailment_class
from modeling.engines.tokens import (
    LONGEST,
    EncodedText,
    Tokens,
    batch_by_length,
    is_dpr,
    read_pooling,
    settings_of,
)
from modeling.weights import Weights

GRAPH: Final = "model.onnx"
# Tokens in one batch. More of them no longer fit the caches of a processor.
_TOKENS_WRITTEN: Final = 4_096
_TOKENS_READ: Final = 1_024

Floats = NDArray[np.float32]
Result = TypeVar("Result")


class _Generator:
    """BART or T5."""

    def __init__(self, weights: Weights) -> None:
        import ctranslate2

        self.tokenizer = Tokens(weights)
        self._translator = _opened(
            weights,
            lambda: ctranslate2.Translator(
                str(weights.fast),
                device="cpu",
                compute_type="default" if adds_in_32_bits() else "float32",
                intra_threads=_cores(),
            ),
        )
        # As transformers reads them: a model's own settings are in one of two files.
        own = settings_of(weights.folder, "generation_config.json") or self.tokenizer.config
        forced = own.get("forced_bos_token_id")
        self._prefix = [] if forced is None else self.tokenizer.token_names([forced])

    def generate(self, inputs: Sequence[str], limits: Limits) -> list[GeneratedText]:
        rows = self.tokenizer.encode(inputs, limits.tokens_in)
        results = self._translator.translate_batch(
            [self.tokenizer.token_names(row.ids) for row in rows],
            [self._prefix] * len(rows) if self._prefix else None,
            beam_size=limits.beams,
            max_decoding_length=self.tokenizer.readable_tokens(limits.tokens_out + 1) - 1,
            max_input_length=0,  # cut above, by the papers' limits
            return_end_token=True,
            max_batch_size=max(_TOKENS_WRITTEN // limits.beams, 1),
            batch_type="tokens",
        )
        written = [self.tokenizer.token_ids(result.hypotheses[0]) for result in results]
        return [
            GeneratedText(self.tokenizer.decode_tokens(ids), len(row), len(ids))
            for ids, row in zip(written, rows, strict=True)
        ]


# --- What reads ---------------------------------------------------------------------------------


class Graph:
    """A model that reads, with its tokenizer."""

    def __init__(self, weights: Weights) -> None:
        self.tokenizer = Tokens(weights)
        self._session = open_graph(weights, GRAPH)
        self._names = [node.name for node in self._session.get_inputs()]

    def run_batches(
        self, rows: Sequence[EncodedText], read: Callable[..., Iterable[Result]]
    ) -> list[Result]:
        """Return a result for each row: what `read` makes of the graph's outputs and the mask."""
        results: dict[int, Result] = {}
        for batch, outputs, mask in self.run_each(rows):
            results.update(zip(batch, read(*outputs, mask), strict=True))
        return [results[place] for place in range(len(rows))]

    def run_each(
        self, rows: Sequence[EncodedText]
    ) -> Iterator[tuple[list[int], list[Floats], NDArray[np.int64]]]:
        """Give the places of the rows of each batch, the graph's outputs, and the mask."""
        for batch in batch_by_length([len(row) for row in rows], _TOKENS_READ):
            inputs = self._padded([rows[place] for place in batch])
            outputs = self._session.run(None, {name: inputs[name] for name in self._names})
            yield batch, outputs, inputs["attention_mask"]

    def _padded(self, rows: Sequence[EncodedText]) -> dict[str, NDArray[np.int64]]:
        width = max(map(len, rows))
        ids = np.full((len(rows), width), self.tokenizer.pad, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row.ids
            types[number, : len(row)] = row.types
            mask[number, : len(row)] = 1
        return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


class _Encoder(Graph):
    def __init__(self, weights: Weights) -> None:
        self._pooling = read_pooling(weights)
        super().__init__(weights)
        self.size = int(self._session.get_outputs()[0].shape[-1])

    def encode(
        self, texts: Sequence[str], titles: Sequence[str] | None = None
    ) -> NDArray[np.float32]:
        vectors = self.run_batches(
            self._pooling.encode_texts(self.tokenizer, texts, titles), self._vectors
        )
        return np.stack(vectors) if vectors else np.zeros((0, self.size), dtype=np.float32)

    def _vectors(self, states: Floats, mask: NDArray[np.int64]) -> Floats:
        if self._pooling.dpr:
            return states  # the graph ends with DPR's vector
        if self._pooling.first:
            vectors = states[:, 0]
        else:
            shown = mask[:, :, None].astype(np.float32)
            vectors = (states * shown).sum(1) / shown.sum(1)
        if self._pooling.unit:
            vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors


class _Scorer(Graph):
    def score_passages(self, question: str, passages: Sequence[ArticlePassage]) -> list[float]:
        rows = self.tokenizer.encode(
            [question] * len(passages), LONGEST, [f"{one.title} {one.text}" for one in passages]
        )
        return self.run_batches(rows, self._scores)

    def _scores(self, logits: Floats, mask: object) -> list[float]:
        scores = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return [float(score) for score in scores]


class _Classifier(Graph):
    def predict_likelihoods(self, texts: Sequence[str]) -> list[float]:
        return self.run_batches(self.tokenizer.encode(texts, LONGEST), self._likelihoods)

    def _likelihoods(self, logits: Floats, mask: object) -> list[float]:
        return shares_of(logits, 1)


class _Entailer(Graph):
    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        names = self.tokenizer.config.get("id2label") or {}
        numbered = {int(number): str(name) for number, name in names.items()}
        self._entailed = find_entailment_class(numbered, weights.name)

    def score_entailments(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return self.run_batches(
            encode_pairs(self.tokenizer, pairs),
            lambda logits, mask: shares_of(logits, self._entailed),
        )


def shares_of(logits: Floats, number: int) -> list[float]:
    """Return the share of one class for each text, in double precision as they add up to 1."""
    odds = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    return [float(share) for share in odds[:, number] / odds.sum(1)]


class _Reader(Graph):
    def __init__(self, weights: Weights) -> None:
        self._dpr = is_dpr(weights)
        super().__init__(weights)

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

    def _logits(self, starts: Floats, ends: Floats, *rest: Any) -> list[tuple[Floats, Floats, Any]]:
        judged = rest[0].tolist() if self._dpr else [0.0] * len(starts)
        return list(zip(starts, ends, judged, strict=True))


class _PageReader(Graph):
    def read_pages(self, asked: Sequence[AskedPage]) -> list[PageAnswer | None]:
        return pages.read_pages(
            self.tokenizer,
            asked,
            lambda windows: self.run_batches(
                windows, lambda starts, ends, mask: zip(starts, ends, strict=True)
            ),
        )


def open_graph(weights: Weights, file: str) -> Any:
    """Return the session of onnxruntime for a graph in the converted folder."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _cores()
    options.log_severity_level = 3
    # Otherwise the threads of a graph that has ended keep those of the next one waiting.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    path = str(weights.fast / file) if weights.fast else ""
    return _opened(
        weights,
        lambda: onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]),
    )


def _opened(weights: Weights, load: Callable[[], Any]) -> Any:
    """Return what `load` reads from the converted folder."""
    try:
        return load()
    except Exception as error:  # those of the two libraries have no common class
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise MissingModel(
            f"The converted model in {weights.fast} cannot be read: {reason[:200]} Convert it "
            f"again: python manage.py convert_model {weights.role} --again. Or set "
            "AMBIT_ENGINE=reference."
        ) from error


def adds_in_32_bits(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Tell whether the processor adds products of eight bits without overflow: x86 needs VNNI."""
    try:
        flags = re.search(r"^flags\s*:(.*)$", cpuinfo.read_text(), re.MULTILINE)
    except OSError:
        return True  # not Linux: newer processors than those that overflow
    return not flags or not {"avx512_vnni", "avx_vnni"}.isdisjoint(flags[1].split())


def _cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


generator, encoder, scorer = _Generator, _Encoder, _Scorer
classifier, entailer, reader, page_reader = _Classifier, _Entailer, _Reader, _PageReader
