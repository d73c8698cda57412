"""How far an expert's answers are the accepted ones, on plain strings."""

from collections.abc import Sequence

from metrics import ambigqa
from metrics.score import Evaluation
from metrics.text import answer_key
from validation.verdicts.merging import Annotation


def score_experts(pairs: Sequence[tuple[Annotation, Sequence[Annotation]]]) -> Evaluation:
    """Score each expert's answers against the accepted sets, of which the best counts."""
    references, predictions = [], {}
    for number, (answers, sets) in enumerate(pairs):
        key = str(number)
        accepted = tuple(
            ambigqa.AmbigqaAnnotation(
                pairs=tuple(ambigqa.GoldPair("", tuple(forms)) for forms in answers)
            )
            for answers in sets
        )
        references.append(ambigqa.Reference(key, "", accepted))
        predictions[key] = forms_to_score(answers, sets)
    return ambigqa.score_predictions(references, predictions)


def forms_to_score(answers: Annotation, sets: Sequence[Annotation]) -> list[str]:
    """Return a form of each answer: the first that any set accepts, otherwise its first."""
    accepted_keys = {answer_key(form) for accepted in sets for forms in accepted for form in forms}
    return [
        next((form for form in forms if answer_key(form) in accepted_keys), forms[0])
        for forms in answers
        if forms
    ]
