"""What a judge is shown of an item, from its parts."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.contexts.inputs import inputs_of
from evaluation.judging.sheet import Criterion, JudgingContext
from evaluation.studies.answer_text import render_study_text


def show_texts(
    prompt: str,
    texts: Sequence[str],
    *,
    how: str,
    swapped: bool,
    pairs: Any,
    accuracy: bool,
    criteria: Sequence[Mapping[str, str]],
    steps: int,
) -> JudgingContext:
    """Return one text or two as a judge sees them, `how` as in `Study.shown`.

    texts: of the first system and the second; swapped: the second is on the left; pairs: the
    disambiguations of the question, asked about where `accuracy` is, and always of one text alone.
    """
    shown = [render_study_text(text, how) for text in texts]
    single = len(shown) == 1
    asked = {"qa_pairs": pairs} if accuracy or single else {}
    return JudgingContext(
        prompt=prompt,
        texts=tuple(reversed(shown)) if swapped else tuple(shown),
        disambiguations=inputs_of(prompt, asked, {}).disambiguations,
        criteria=tuple(
            Criterion(row["label"], row.get("wording", "")) for row in (() if single else criteria)
        ),
        steps=steps,
    )
