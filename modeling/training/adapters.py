"""Adapters (LoRA): small matrices beside those of a model, which are learnt in their place.

The model's own numbers stay as they are. What is new in it is learnt whole: the layer that tells
classes apart, the row of a token that it did not have. Checkpoints hold what was learnt alone;
what is published has the adapters added in, and loads as any other model. torch and peft are
loaded by the calls, not by this module.

Source: Hu et al. 2021, "LoRA", section 4.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from modeling.base import BadOption, MissingModel
from modeling.engines.tokens import settings_of
from modeling.training.recipes import Recipe
from modeling.weights import INSTALL, Weights

LEARNT: Final = "learnt.safetensors"  # of a checkpoint
# What a model looks for, and what it finds there, by the name that its configuration has.
TARGETS: Final[Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(("t5", "mt5"), ("q", "v")),
    **dict.fromkeys(("bart", "mbart"), ("q_proj", "v_proj")),
    **dict.fromkeys(("bert", "dpr", "electra", "roberta", "xlm-roberta"), ("query", "value")),
    "distilbert": ("q_lin", "v_lin"),
}
_SCALE: Final = 2  # alpha, by the rank
_DROPOUT: Final = 0.05


def check_adapters(recipe: Recipe, base: Weights) -> None:
    """Raise where adapters are to be learnt and cannot be: MissingModel, or BadOption for the base.

    Of the base its settings are read, none of its weights.
    """
    if not recipe.adapters:
        return
    if find_spec("peft") is None:
        raise MissingModel(f"peft is not installed here. {INSTALL}")
    find_targets(base)


def find_targets(base: Weights) -> tuple[str, str]:
    """Return the modules that get adapters. Raises BadOption for a kind of model without any."""
    kind = str(settings_of(base.folder).get("model_type") or "")
    if kind not in TARGETS:
        raise BadOption(
            f"{base.name} is a model of the kind “{kind[:40]}”, of which it is not known where its "
            f"adapters belong. Those of {', '.join(TARGETS)} have some; or learn all of the model "
            "(--preset paper)."
        )
    return TARGETS[kind]


def add_adapters(
    model: Any, recipe: Recipe, base: Weights, *, new_parts: Collection[str], new_tokens: range
) -> Any:
    """Put adapters into a model, in place, and return what `merge_adapters` adds in later.

    new_parts: names of parameters that the base does not have; new_tokens: numbers of tokens that
    its tokenizer did not have. Both are learnt beside the adapters.
    """
    import peft

    drawn = [own for name, own in model.named_parameters() if name in new_parts]
    plan = peft.LoraConfig(
        r=recipe.adapters,
        lora_alpha=_SCALE * recipe.adapters,
        lora_dropout=_DROPOUT,
        target_modules=list(find_targets(base)),
        trainable_token_indices=list(new_tokens) or None,
    )
    adapters = peft.LoraModel(model, plan, "default")
    for own in drawn:
        own.requires_grad_(True)
    return adapters


def save_learnt(model: Any, folder: Path) -> None:
    """Write what is learnt of a model into a checkpoint."""
    from safetensors.torch import save_file

    learnt = {name: own.detach() for name, own in model.named_parameters() if own.requires_grad}
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: own.contiguous() for name, own in learnt.items()}, folder / LEARNT)


def load_learnt(model: Any, folder: Path) -> None:
    """Read it back, into a model with the same adapters. Raises ValueError where it is another."""
    from safetensors.torch import load_file

    learnt = load_file(folder / LEARNT)
    wanted = {name for name, own in model.named_parameters() if own.requires_grad}
    if wanted != set(learnt):
        raise ValueError(f"{folder / LEARNT} is of another model")
    model.load_state_dict(learnt, strict=False)


def merge_adapters(adapters: Any, checkpoint: Path, folder: Path) -> None:
    """Write the model of a checkpoint with its adapters added in, as transformers saves models.

    adapters: what `add_adapters` returned. Its model has none afterwards.
    """
    load_learnt(adapters.model, checkpoint)
    merged = adapters.merge_and_unload()
    merged.save_pretrained(folder)
