"""Convert weights for the fast engines, to whole numbers of eight bits.

Each conversion is a folder of its own under AMBIT_DATA/models/fast, named by what it is for and by
the version of the weights. It is made beside its place and moved there when it is whole.
"""

from __future__ import annotations

import fcntl
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch
from ctranslate2.converters import TransformersConverter

from modeling.base import MissingModel
from modeling.engines import entailing, reference
from modeling.engines.agreement import CHECKED
from modeling.engines.fast import GRAPH
from modeling.engines.fused_graphs import StepGraph, TextGraph
from modeling.engines.fusing import STEP
from modeling.engines.tokens import is_dpr
from modeling.weights import (
    ANSWERING,
    ENTAILING,
    FUSED,
    PAGE_KINDS,
    TALKING,
    Weights,
    converted_folder,
    kind_of,
)

NUMBERS: Final = "int8"  # of what writes
# What is rounded where numbers may hardly move: vectors of words, which share one scale, are not.
_MULTIPLIED: Final = ["MatMul", "Gemm"]
# Families of models that read, each of which was tried.
_CONVERTED: Final = (
    "BERT, RoBERTa, XLM-RoBERTa, DistilBERT, ELECTRA, MPNet, ModernBERT, BART and DeBERTa"
)
# What CTranslate2 asks of BART's configuration and transformers no longer writes.
_BART: Final = {
    "normalize_before": False,
    "normalize_embedding": True,
    "add_final_layer_norm": False,
    "add_bias_logits": False,
    "static_position_embeddings": False,
    "extra_pos_embeddings": 2,
}


def convert_weights(weights: Weights, *, again: bool = False) -> Path:
    """Return the folder with the converted weights; makes it unless it is there.

    again: make it anew. Raises MissingModel where weights of this role cannot be converted.
    """
    kind = kind_of(weights.role)
    if kind == TALKING:
        raise MissingModel(
            f"“{weights.role}” is a language model. llama.cpp serves those in few bits "
            "(AMBIT_LLM_URL, docs/models.md)."
        )
    if kind == ANSWERING:
        raise MissingModel(
            f"“{weights.role}” is a scorer's reader, whose figures are compared with those of "
            "others. It stays in full precision."
        )
    if kind in PAGE_KINDS:
        raise MissingModel(
            f"“{weights.role}” is a network of a few layers over word vectors, which gains nothing "
            "by it. It stays with torch."
        )
    target = converted_folder(kind, weights.version)
    with _alone(target.parent):
        draft = target.with_name(f"{target.name}.part")
        shutil.rmtree(draft, ignore_errors=True)  # of a conversion that was interrupted
        if target.is_dir() and not again:
            return target
        draft.mkdir()
        try:
            {"generator": _written, FUSED: _fused}.get(kind, _read)(kind, weights, draft)
            if kind in CHECKED:
                CHECKED[kind](weights, draft)
            shutil.rmtree(target, ignore_errors=True)
            draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return target


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of conversions: a second one waits, and then finds the first one's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# --- What writes: CTranslate2 -------------------------------------------------------------------


class _Converter(TransformersConverter):  # type: ignore[misc]
    def __init__(self, weights: Weights) -> None:
        super().__init__(str(weights.folder))
        self._weights = weights

    def load_model(self, model_class: Any, name: str, **options: Any) -> Any:
        model = reference.generator(self._weights).model.cpu()
        for key, value in _BART.items():
            if not hasattr(model.config, key):
                setattr(model.config, key, value)
        if hasattr(model.config, "scale_decoder_outputs"):
            # transformers 5 ties the embeddings of every T5; whether its outputs are scaled, which
            # T5 1.1 does not do, CTranslate2 reads from the setting that used to say so.
            model.config.tie_word_embeddings = model.config.scale_decoder_outputs
        self._rows = int(model.config.vocab_size)
        return model

    def load_tokenizer(self, tokenizer_class: Any, name: str, **options: Any) -> Any:
        tokenizer = super().load_tokenizer(tokenizer_class, name, **options)
        known = tokenizer.get_vocab()
        # Embeddings are often padded to a round number of rows.
        padded = known | {f"<unused{row}>": row for row in range(len(known), self._rows)}
        tokenizer.get_vocab = lambda: padded
        return tokenizer


def _written(kind: str, weights: Weights, folder: Path) -> None:
    try:
        _Converter(weights).convert(str(folder), quantization=NUMBERS, force=True)
    except ValueError as error:
        reason = str(error).partition(" (supported")[0]
        raise MissingModel(f"CTranslate2 cannot convert {weights.name}: {reason}.") from None


# --- What reads: onnxruntime --------------------------------------------------------------------


class _NamedInputsModel(torch.nn.Module):  # type: ignore[misc]
    """A model whose inputs come by name and whose outputs are chosen."""

    def __init__(self, model: Any, inputs: list[str], outputs: list[str]) -> None:
        super().__init__()
        self.model, self._inputs, self._outputs = model, inputs, outputs

    def forward(self, *tensors: Any) -> tuple[Any, ...]:
        out = self.model(**dict(zip(self._inputs, tensors, strict=True)))
        return tuple(getattr(out, name) for name in self._outputs)


def _read(kind: str, weights: Weights, folder: Path) -> None:
    make: Callable[[Weights], Any] = getattr(entailing if kind == ENTAILING else reference, kind)
    engine = make(weights)
    inputs = ["input_ids", "attention_mask"]
    inputs += ["token_type_ids"] if engine.tokenizer.has_types else []
    model = _NamedInputsModel(engine.model.cpu(), inputs, _outputs(kind, is_dpr(weights)))
    shown = [torch.ones((2, 7), dtype=torch.long) for _ in inputs]
    sizes = {0: torch.export.Dim("texts"), 1: torch.export.Dim("tokens", max=8_192)}
    only = _MULTIPLIED if kind == ENTAILING else None
    _write_graph(model, dict.fromkeys(inputs, sizes), shown, folder / GRAPH, weights.name, only)


def _fused(kind: str, weights: Weights, folder: Path) -> None:
    model = reference.fused(weights).model.cpu()
    texts = TextGraph(model)
    with torch.no_grad():
        step = StepGraph(model, texts(*texts.shown))
    for file, graph in ((GRAPH, texts), (STEP, step)):
        _write_graph(graph, graph.sizes, graph.shown, folder / file, weights.name, _MULTIPLIED)


def _write_graph(
    model: torch.nn.Module,
    sizes: Mapping[str, Any],
    shown: Sequence[torch.Tensor],
    file: Path,
    name: str,
    only: list[str] | None = None,
) -> None:
    """Write a model in eight bits.

    sizes: of each input, by its name, which of its sizes may be others than those of `shown`;
    name: of the weights; only: the operations that are rounded, all that can be if left out.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    whole = file.with_name("whole") / file.name  # more than 2 GB are in several files
    whole.parent.mkdir()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter's, about its own parts
        try:
            torch.onnx.export(
                model.eval(),
                tuple(shown),
                str(whole),
                input_names=list(sizes),
                dynamo=True,
                dynamic_shapes=(tuple(sizes.values()),),
                external_data=True,
                verbose=False,
            )
        except torch.onnx.OnnxExporterError as error:
            raise MissingModel(
                f"{name} is of a family, {model.model.config.model_type}, that PyTorch "
                f"cannot write for onnxruntime; {_CONVERTED} can be. It stays with transformers."
            ) from error
        # A scale for each row of weights: one for all turns MiniLM's vectors by 19 degrees, not 7.
        # Seven bits: sums of two products of eight bits overflow where a processor has no VNNI.
        quantize_dynamic(
            str(whole),
            str(file),
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=only if NUMBERS == "int8" else ["none"],
        )
    shutil.rmtree(whole.parent)


def _outputs(kind: str, dpr: bool) -> list[str]:
    """Return which of a model's outputs the engine reads."""
    if kind in ("reader", "page_reader"):
        return ["start_logits", "end_logits", *(["relevance_logits"] if dpr else [])]
    if kind == "encoder":
        return ["pooler_output" if dpr else "last_hidden_state"]
    return ["logits"]
