"""Recipes with other numbers than the paper's. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from modeling.base import BadOption
from modeling.inputs import ABLATIONS, ALWAYS_PROMPT
from modeling.training.recipes import Recipe

# Numbers of a recipe in place of the paper's: small ones for models of MiniLM's size, on a
# processor; adapters for large models on a small graphics card, learnt at a higher rate.
PRESETS: Final[Mapping[str, Callable[[Recipe], Mapping[str, float]]]] = {
    "paper": lambda recipe: {},
    "small": lambda recipe: {"batch": min(8, recipe.batch), "epochs": min(3, recipe.epochs)},
    "lora": lambda recipe: {"adapters": 16, "learning_rate": 20 * recipe.learning_rate},
}
_CHANGEABLE: Final = {
    each.name: each.type
    for each in fields(Recipe)
    if each.name
    in (
        *("tokens_in", "tokens_out", "learning_rate", "batch", "epochs", "patience", "warm_up"),
        *("adapters", "null_windows", "hidden_size", "layers", "dropout", "null_weight"),
    )
}

_SHARES: Final = ("null_windows", "dropout", "null_weight")


def change_recipe(recipe: Recipe, preset: str, changes: Mapping[str, str]) -> Recipe:
    """Return a recipe with the numbers of a preset and of changes. Raises BadOption."""
    if preset not in PRESETS:
        raise BadOption(f"There is no preset “{preset[:40]}”. Choose {' or '.join(PRESETS)}.")
    values: dict[str, Any] = {**PRESETS[preset](recipe)}
    for name, text in changes.items():
        if name == "without":
            values[name] = _check_ablation(recipe, text)
            continue
        if name not in _CHANGEABLE:
            raise BadOption(
                f"A recipe has no number “{name[:40]}”. What can be set: {', '.join(_CHANGEABLE)}."
            )
        values[name] = _parse_number(name, text)
    return replace(recipe, **values)


def _check_ablation(recipe: Recipe, text: str) -> str:
    if recipe.role != "qd":
        raise BadOption(
            f"Only question disambiguation (qd) is trained without a part of what it reads, not "
            f"“{recipe.role}”."
        )
    if text == ALWAYS_PROMPT:
        raise BadOption(
            f"“without={text}” writes nothing, so there is nothing to train: each answer has the "
            f"question as asked. Run a baseline that writes questions with without={text}."
        )
    if text not in ABLATIONS:
        raise BadOption(f"“without={text[:40]}”: write {' or '.join(ABLATIONS)}.")
    return text


def _parse_number(name: str, text: str) -> float:
    whole = _CHANGEABLE[name] in (int, "int")
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = -1
    may_be_0 = name in ("patience", "warm_up", "adapters", *_SHARES)
    lowest = 0 if may_be_0 else 1 if whole else 1e-9
    most = 1 if name in _SHARES else 1_000_000
    if not lowest <= value <= most:
        kind = "a whole number" if whole else "a number"
        raise BadOption(f"“{name}={text[:40]}”: write {kind} from {lowest:g} to {most:,}.")
    return value
