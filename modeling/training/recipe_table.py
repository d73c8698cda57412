"""The table of recipes in docs/models.md: `python -m modeling.training.recipe_table` prints it."""

import sys
from collections.abc import Iterator
from typing import Final

from modeling.training.recipes import RECIPES, Recipe

_HEADS = (
    *("role", "learns to", "reads", "writes", "rate", "batch", "epochs", "chosen by", "from"),
    "verified on",
)
# Real weights that a recipe has been tried on; docs/performance.md has the figures.
_TRIED: Final = {
    "ambiguity": "MiniLM, AmbigNQ: [figures](performance.md#training)",
    "encoder": "MiniLM, NQ-open: [figures](performance.md#training)",
}
_TINY: Final = "tiny"


def render_recipes() -> str:
    """Return the table in Markdown, a line for each role."""
    lines = [_HEADS, ("---",) * len(_HEADS), *map(tuple, map(_cells, RECIPES.values()))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(recipe: Recipe) -> Iterator[str]:
    yield f"`{recipe.role}`"
    yield recipe.learns
    yield f"{recipe.tokens_in:,}"
    yield f"{recipe.tokens_out:,}" if recipe.tokens_out else "–"
    yield f"{recipe.learning_rate:g}"
    yield str(recipe.batch)
    yield str(recipe.epochs)
    yield recipe.metric
    yield recipe.sources
    yield _TRIED.get(recipe.role, _TINY)


if __name__ == "__main__":
    sys.stdout.write(f"{render_recipes()}\n")
