"""How trainings of Natural Questions' baselines begin: with word vectors (N22, N23). Uses torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import torch
import transformers
from safetensors.torch import load_file

from modeling import word_vectors
from modeling.base import BadOption
from modeling.engines.page_networks.decomposable_attention import DecomposableAttention
from modeling.engines.page_networks.doc_reader import DocReader
from modeling.engines.page_networks.document_qa import DocumentQA
from modeling.engines.tokens import Tokens, load_pretrained, settings_of
from modeling.training import page_network_losses as losses
from modeling.training.examples import PageExample
from modeling.training.page_network_batches import BoxBatches, StretchBatches, TextBatches
from modeling.training.recipe_kinds import Recipe
from modeling.weights import Weights

_NETWORKS: Final[dict[str, Any]] = {
    "decatt": DecomposableAttention,
    "doc-reader": DocReader,
    "document-qa": DocumentQA,
}


def load_network(recipe: Recipe, base: Weights, tokenizer: Any) -> Any:
    """Return the network of a role, its weights drawn but for the word vectors of the base.

    A base that is this network already is gone on with. Raises MissingModel where the base has no
    word vectors, BadOption for adapters.
    """
    if recipe.adapters:
        raise BadOption(
            f"“{recipe.role}” is a network of a few layers, which have no place for adapters. "
            "Learn all of it (--preset paper)."
        )
    network = _NETWORKS[recipe.role]
    own = settings_of(base.folder).get("model_type")
    if own == network.config_class.model_type:
        model = load_pretrained(network, base, dtype=torch.float32)
    else:
        table = _read_table(base, own)
        sizes = {"hidden_size": recipe.hidden_size, "dropout": recipe.dropout}
        sizes |= {"layers": recipe.layers} if recipe.layers else {}
        config = network.config_class(
            vocab_size=len(table),
            vector_size=table.shape[1],
            pad_token_id=int(tokenizer.pad_token_id or 0),
            unk_token_id=tokenizer.unk_token_id,
            **sizes,
        )
        model = network(config)
        model.vectors.weight.data.copy_(table)
    model.config.tokens = recipe.tokens_in
    model.vectors.weight.requires_grad_(False)
    return model


def build_batches(
    recipe: Recipe, model: Any, tokens: Tokens, examples: Sequence[PageExample]
) -> tuple[Any, Any, list[PageExample], Counter[str]]:
    """Return what makes batches, their loss, the examples that can be learnt from, and the rest."""
    batches: Any
    if recipe.role == "decatt":
        batches, loss = BoxBatches(tokens, recipe), losses.box_loss
    elif recipe.role == "doc-reader":
        batches, loss = TextBatches(tokens, recipe), losses.text_loss
    else:
        unknown = model.config.unk_token_id
        batches, loss = StretchBatches(tokens, recipe, unknown), losses.stretch_loss
    kept, left_out = batches.keep(examples)
    return batches, loss, kept, left_out


def _read_table(base: Weights, kind: Any) -> torch.Tensor:
    if kind == word_vectors.MODEL_TYPE:
        return load_file(base.folder / "model.safetensors")[word_vectors.TABLE]
    model = load_pretrained(transformers.AutoModel, base, dtype=torch.float32)
    table: torch.Tensor = model.get_input_embeddings().weight.data
    return table
