"""What a model suggests in the contract of stages that show suggestions.

A stage with suggestions adds a `Suggesting` to SUGGESTING.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.models import StagePolicy, SuggestionUse
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from tests import factories
from tests.natural_questions import page as nq

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
    used in; at: the place of the step that shows them; begun: fields in which the person has begun,
    None for those of the example; rest: fields of the steps after that; one: whether what one
    becomes takes the place of another.
    """

    offers: tuple[SuggestedContent, ...]
    part: str
    edited: Mapping[str, list[str]]
    half: Mapping[str, list[str]] = field(default_factory=dict)
    at: int = 0
    begun: Mapping[str, list[str]] | None = None
    rest: Sequence[Mapping[str, list[str]]] = ()
    one: bool = False

    def write(self, example, fields, words):
        """Fill the form so that the person has begun."""
        return example.write(fields, words) if self.begun is None else fields | self.begun

    def fates(self):
        """The fates after all were accepted, one after the other."""
        before = len(self.offers) - 1
        return ["" if self.one else "accepted"] * before + ["accepted"]


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
    "nq": Suggesting(
        offers=(
            SuggestedContent("long_answer", text="Height 31 metres Range 20 miles", box="30-50"),
            SuggestedContent("long_answer", text="Today nobody lives there.", box="66-73"),
        ),
        part="Used in your long answer",
        edited={"box": ["31-40"]},
        at=1,
        begun={"box": [nq.PARAGRAPH]},
        rest=({"answer": ["none"]},),
        one=True,
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
