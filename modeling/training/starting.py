"""The model that a training begins with, and the files beside its weights. Loads torch."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import torch
import transformers

from modeling.base import BadOption
from modeling.engines.reference import clean_generation
from modeling.engines.tokens import (
    Pooling,
    Tokens,
    is_dpr,
    load_pretrained,
    read_pooling,
    settings_of,
)
from modeling.inputs import SEPARATOR
from modeling.training import (
    losses,
    oracle_tensors,
    page_network_start,
    page_tensors,
    passage_tensors,
    recipe_kinds,
    recipes,
    tensors,
)
from modeling.training.adapters import add_adapters
from modeling.training.examples import Example
from modeling.training.recipes import Recipe
from modeling.weights import Weights

_SEPARATED: Final = ("span-seq-gen", "qd", "disambig-first")  # roles whose texts have separators
_HEADS: Final = {recipes.CLASSIFY: 2, recipes.RANK: 1}


@dataclass(frozen=True, slots=True)
class Start:
    """A model with what its training needs.

    weights: its tokenizer and the files beside it; collate: from rows to a batch; loss: of one;
    examples: those it can learn from; left_out: how many it cannot, by reason; adapters: what
    `add_adapters` made, where they are learnt in place of the model.
    """

    model: Any
    weights: Weights
    collate: Callable[[Sequence[tensors.ExampleRow]], tensors.Batch]
    loss: losses.Loss
    examples: Sequence[Example]
    left_out: Counter[str]
    adapters: Any = None


def start_model(
    recipe: Recipe, base: Weights, examples: Sequence[Example], folder: Path, seed: int
) -> Start:
    """Return the model to be trained, in full precision; `folder` gets the files beside weights.

    Parts that the base does not have are drawn by the seed. Raises MissingModel where the base is
    no model of this kind.
    """
    transformers.set_seed(seed)
    with _quiet():
        tokenizer = load_pretrained(transformers.AutoTokenizer, base)
        if recipe.learns == recipe_kinds.READ_BOXES:
            model, new_parts = page_network_start.load_network(recipe, base, tokenizer), set[str]()
        else:
            model, new_parts = _load_model(recipe, base)
        known = len(tokenizer)
        if recipe.role in _SEPARATED and SEPARATOR not in tokenizer.get_vocab():
            tokenizer.add_tokens([SEPARATOR], special_tokens=True)
        if len(tokenizer) > model.get_input_embeddings().num_embeddings:
            model.resize_token_embeddings(len(tokenizer))
        adapters = None
        if recipe.adapters:
            new_tokens = range(known, len(tokenizer))
            adapters = add_adapters(model, recipe, base, new_parts=new_parts, new_tokens=new_tokens)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    model.config.save_pretrained(folder)
    pooling = _save_pooling(recipe, base, folder) if recipe.learns == recipes.EMBED else None
    start = replace(base, role=recipe.role, folder=folder, fast=None)
    tokens = Tokens(start)
    if recipe.learns in (recipes.WRITE, recipes.FUSE):
        clean_generation(model, tokens)
    made = _with_batches(recipe, model, start, tokens, examples, pooling, seed)
    return replace(made, adapters=adapters)


def _with_batches(
    recipe: Recipe,
    model: Any,
    start: Weights,
    tokens: Tokens,
    examples: Sequence[Any],
    pooling: Pooling | None,
    seed: int,
) -> Start:
    left_out: Counter[str] = Counter()
    kept: Sequence[Any] = examples
    collate: Any
    loss: losses.Loss
    if recipe.learns in (recipes.WRITE, recipes.FUSE):
        fused = recipe.learns == recipes.FUSE
        kept, left_out = tensors.keep_whole_targets(tokens, examples, recipe.tokens_out)
        collate = tensors.WrittenBatches(tokens, recipe, fused=fused)
        loss = losses.fused_loss if fused else losses.written_loss
        if recipe.role == "jpr":
            collate, loss = oracle_tensors.OracleBatches(tokens, recipe), oracle_tensors.oracle_loss
    elif recipe.learns == recipes.CLASSIFY:
        collate, loss = tensors.ClassifiedBatches(tokens, recipe), losses.classified_loss
    elif recipe.learns == recipes.FIND_SPANS:
        collate = passage_tensors.SpanBatches(tokens, recipe, dpr=is_dpr(start))
        kept, left_out = collate.keep_answered(examples)
        loss = losses.span_loss
    elif recipe.learns == recipes.READ_PAGE:
        kept, left_out = page_tensors.cut_windows(tokens, recipe, examples, seed)
        collate, loss = page_tensors.PageBatches(tokens), losses.page_loss
    elif recipe.learns == recipe_kinds.READ_BOXES:
        network = page_network_start.build_batches(recipe, model, tokens, examples)
        collate, loss, kept, left_out = network
    elif pooling is not None:
        collate = passage_tensors.EmbeddedBatches(tokens, recipe, pooling)
        loss = losses.embedded_loss(pooling)
    else:
        collate, loss = passage_tensors.RankedBatches(tokens, recipe), losses.ranked_loss
    return Start(model, start, collate, loss, kept, left_out)


def _load_model(recipe: Recipe, base: Weights) -> tuple[Any, set[str]]:
    """Return a model, and the names of its parameters that the base does not have."""
    kind, options = _find_class(recipe, base)
    # In full precision also where the file is not: half would be trained without a master copy.
    model, loaded = load_pretrained(
        kind, base, dtype=torch.float32, output_loading_info=True, **options
    )
    drawn = {name for name, *_ in loaded["mismatched_keys"]}
    return model, drawn.union(loaded["missing_keys"])


def _find_class(recipe: Recipe, base: Weights) -> tuple[Any, dict[str, Any]]:
    """Return which class of transformers is read for a recipe, and with which settings."""
    if recipe.learns == recipes.FIND_SPANS:
        if is_dpr(base):
            return transformers.DPRReader, {}
        return transformers.AutoModelForQuestionAnswering, {}
    if is_dpr(base):
        raise BadOption(
            f"{base.name} is one of DPR's models, from which no “{recipe.role}” is trained here. "
            "Begin with one encoder for questions and passages, such as minilm."
        )
    if recipe.learns == recipes.READ_PAGE:
        return transformers.AutoModelForQuestionAnswering, {}
    if recipe.learns == recipes.EMBED:
        return transformers.AutoModel, {}
    if recipe.learns in _HEADS:
        options: dict[str, Any] = {}
        named = " ".join(map(str, settings_of(base.folder).get("architectures") or ()))
        if recipe.learns == recipes.CLASSIFY or "ForSequenceClassification" not in named:
            options = {"num_labels": _HEADS[recipe.learns], "ignore_mismatched_sizes": True}
        return transformers.AutoModelForSequenceClassification, options
    return transformers.AutoModelForSeq2SeqLM, {}


def _save_pooling(recipe: Recipe, base: Weights, folder: Path) -> Pooling:
    """Write how tokens become a vector, as sentence-transformers does; return how it will be read.

    A base that does not say it is read as the engine reads it: by the mean of all tokens.
    """
    own = read_pooling(base)
    size = settings_of(folder).get("hidden_size")
    # The names of its modules are those that every version of sentence-transformers reads.
    kinds = ["Transformer", "Pooling", *(["Normalize"] if own.unit else [])]
    paths = ["", "1_Pooling", "2_Normalize"]
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": paths[number],
            "type": f"sentence_transformers.models.{kind}",
        }
        for number, kind in enumerate(kinds)
    ]
    (folder / "1_Pooling").mkdir(exist_ok=True)
    pooled = {
        "word_embedding_dimension": size,
        "pooling_mode_cls_token": own.first,
        "pooling_mode_mean_tokens": not own.first,
    }
    tokens = min(own.tokens, recipe.tokens_in)
    _write(folder / "1_Pooling" / "config.json", pooled)
    _write(folder / "modules.json", modules)
    limits = {"max_seq_length": tokens, "do_lower_case": False}
    _write(folder / "sentence_bert_config.json", limits)
    return replace(own, tokens=tokens)


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n")


class _quiet:
    """Let transformers not tell of the parts that it draws: they are what is to be trained."""

    def __enter__(self) -> None:
        self._level = transformers.utils.logging.get_verbosity()
        transformers.utils.logging.set_verbosity_error()

    def __exit__(self, *_: object) -> None:
        transformers.utils.logging.set_verbosity(self._level)
