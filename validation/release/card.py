"""The dataset card of a release, in Markdown: what the data is, how it was made, its limits.

What all layouts say, and in which order, is in `templates/validation/release/card.md`; the template
of a layout extends it.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from django.conf import settings
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from annotation.exports.layouts import Layout
from annotation.models import Project, StagePolicy
from annotation.sheets.rules import format_count
from annotation.stages import registry as stages


def render_card(
    manifest: Mapping[str, Any],
    layout: Layout,
    project: Project,
    policies: Sequence[StagePolicy],
) -> str:
    """Return the text of a release's card, put together from its manifest."""

    def people_of(stage: str) -> list[tuple[str, str]]:
        """Return how many people the project asks for at a stage, for each split."""
        return [(each.split, str(each.people)) for each in policies if each.stage == stage]

    counts, split = manifest["counts"], manifest["split"]
    text = (
        load_templates()
        .get_template(layout.card)
        .render(
            manifest=manifest,
            counts=counts,
            layout=layout,
            project=project,
            policies=policies,
            of_split=f"split {split}" if split else "all splits",
            settings=json.dumps(project.rule_settings, ensure_ascii=False, sort_keys=True)
            if project.rule_settings
            else "",
            fields=[(f"`{name}`", words) for name, words in layout.fields],
            people_of=people_of,
            people_by_stage=[
                (stages.label_of(each.stage), each.split, str(each.people)) for each in policies
            ],
            numbers_by_split=[
                (split, *(f"{number:,}" for number in numbers.values()))
                for split, numbers in counts["by_split"].items()
                if any(numbers.values())
            ],
        )
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


@cache
def load_templates() -> Environment:
    """Return the engine of cards: what people wrote is escaped for Markdown where it is named."""
    engine = Environment(
        loader=FileSystemLoader(settings.BASE_DIR / "templates"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - a card is no HTML
    )
    engine.filters |= {
        "date": lambda day: f"{day.day} {day:%B %Y}",
        "escape_markdown": escape_markdown,
        "thousands": "{:,}".format,
    }
    engine.globals |= {
        "by_number": join_numbers,
        "count": format_count,
        "table": render_markdown_table,
    }
    return engine


def escape_markdown(text: str) -> str:
    """Return a title escaped, so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def join_numbers(counts: Mapping[str, int]) -> str:
    """Return how many have each number, as in "3 with 1, 5 with 2"."""
    return ", ".join(f"{n:,} with {number}" for number, n in counts.items())


def render_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
