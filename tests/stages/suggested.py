"""What a model suggests in the contract of stages that show suggestions.

A stage with suggestions adds a `Suggesting` to SUGGESTING.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from annotation.models import StagePolicy, SuggestionUse
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from tests import factories

SYSTEM = "Reader 8B"
PASSAGE = SuggestedContent(
    "passage",
    text="It opened on 25 March 1843 and again on 7 December 1869.",
    title="Thames Tunnel",
    path="Thames_Tunnel",
)


@dataclass(frozen=True)
class Suggesting:
    """What a model suggests on one stage, and what a person does with it.

    offers: suggestions that say something new; half: fields in which a person has not begun yet;
    edited: fields in which the first one was changed after it had been accepted; part: what it was
    used in.
    """

    offers: tuple[SuggestedContent, ...]
    part: str
    edited: Mapping[str, list[str]]
    half: Mapping[str, list[str]] = field(default_factory=dict)


SUGGESTING: Mapping[str, Suggesting] = {
    "generation": Suggesting(
        offers=(
            SuggestedContent("pair", "When did the Thames Tunnel open for cars?", ("never",)),
            SuggestedContent("answer", answers=("1998",)),
            PASSAGE,
        ),
        part="Used in pair 3",
        edited={"pair-2-answer": ["not yet"], "pair-2-quote": [""]},
        half={"kind": ["multiple"], "pair-0-question": ["When did the Thames Tunnel open?"]},
    ),
    "long_answers": Suggesting(
        offers=(
            PASSAGE,
            SuggestedContent(
                "long_answer", text="The tunnel opened to people first, to trains later."
            ),
        ),
        part="Used in piece 2",
        edited={"piece-1-content": ["It opened on 25 March 1843."]},
        half={"long_answer": ["The tunnel opened"]},
    ),
    "validation": Suggesting(
        offers=(
            SuggestedContent("pair", "When did the Thames Tunnel open for cars?", ("never",)),
            SuggestedContent("answer", answers=("1998",)),
        ),
        part="Used in answer C",
        edited={"row-r3-answer": ["not yet"], "row-r3-origin": [""]},
    ),
    "qampari-extend": Suggesting(
        offers=(
            SuggestedContent(
                "answer",
                answers=("never crossed",),
                text="One bridge was never crossed.",
                title="John Rennie",
            ),
            SuggestedContent("answer", answers=("1998",)),
        ),
        part="Used in answer 2",
        edited={"added-0-text": ["not yet"]},
        half={"new": [""], "source": ["John Rennie"]},
    ),
}


def show(assignment, *suggested, version="1", now):
    """Let the policy of an assignment show suggestions, and store some for its question."""
    StagePolicy.objects.filter(pk=assignment.policy_id).update(suggestions=SYSTEM)
    suggestions_services.store_suggestions(
        question=assignment.task.question,
        system=SYSTEM,
        version=version,
        suggestions=suggested,
        now=now,
    )
    factories.make_visit(assignment)


def uses(assignment):
    """The fate of each suggestion that was shown in an assignment, in order."""
    rows = SuggestionUse.objects.filter(assignment=assignment).order_by("suggestion_id")
    return list(rows.values_list("fate", flat=True))
