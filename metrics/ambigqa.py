"""AmbigQA: which answers were found, and how well each was distinguished from the others.

Every measure compares the predicted answers, or question-answer pairs, of one question with each of
its accepted annotations, and keeps the best annotation, measure by measure.

Source: Min et al. 2020, section 3.2, and the official evaluation script, whose pairing is the
default; the two differ (see ``Pairing``).
"""

from collections.abc import Hashable, Mapping, Sequence, Set
from itertools import chain
from typing import Literal, NamedTuple

from metrics import bleu
from metrics.bleu import Words, number_occurrences
from metrics.score import SCORE, BadInput, Evaluation, Figure
from metrics.text import normalise_texts, tokenise_words

Pairing = Literal["script", "paper"]
"""How predictions meet gold pairs: ``script`` assigns them one to one, the best question first;
``paper`` gives each prediction the best gold pair with its answer, also one that is taken."""

QUESTION_MEASURES = ("f1_bleu1", "f1_bleu2", "f1_bleu3", "f1_bleu4", "f1_edit")
_ANSWER_MEASURES = ("f1_answer", "precision_answer", "recall_answer")
_LENGTHS = ("answers", "gold_answers", "answer_words", "gold_answer_words")

Change = Set[Hashable]
"""What leads from the prompt to a question, as ``_change`` gives it."""


class PredictedPair(NamedTuple):
    """A predicted question with its answer."""

    question: str
    answer: str


Prediction = Sequence[str] | Sequence[PredictedPair]
"""What a system says about one question: answers, or pairs; it may be empty."""


class GoldPair(NamedTuple):
    """A disambiguated question and the accepted forms of its answer.

    ``|`` in the question separates alternatives.
    """

    question: str
    answers: tuple[str, ...]


class AmbigqaAnnotation(NamedTuple):
    """One annotator's annotation: a single answer (its accepted forms), or several pairs."""

    answer: tuple[str, ...] = ()
    pairs: tuple[GoldPair, ...] = ()

    @property
    def gold(self) -> list[tuple[str, ...]]:
        """The accepted forms of each answer."""
        return [answers for _, answers in self.pairs] or [self.answer]


class Reference(NamedTuple):
    """A prompt question with its accepted annotations; without one it cannot be scored."""

    id: str
    question: str
    annotations: tuple[AmbigqaAnnotation, ...]

    @property
    def multi(self) -> bool:
        """Whether no annotation holds the question to have a single answer."""
        return all(annotation.pairs for annotation in self.annotations)


def score_predictions(
    references: Sequence[Reference],
    predictions: Mapping[str, Prediction],
    *,
    pairing: Pairing = "script",
    options: Mapping[str, str] | None = None,
) -> Evaluation:
    """Score the predictions, by id of the question, against the references.

    Per question, and then as the mean over all questions and over the "multi" ones: F1-answer with
    its precision and recall, the number of answers and of their words (predicted, and gold as the
    mean over the annotations), and, where the predictions are pairs, F1 with BLEU-1 to BLEU-4 and
    EDIT-F1. All are from 0 to 1 except the lengths. An empty prediction scores 0. Questions without
    an annotation are left out and counted in ``counts["n_no_answer"]``. ``options`` are further
    ones for the signature.

    Raises ``BadInput`` where a question has no prediction, where some predictions are pairs and
    others answers, or where there is no question to score.
    """
    scored = [reference for reference in references if reference.annotations]
    if not scored:
        raise BadInput("No question of the references has an accepted answer: nothing to score.")
    absent = [reference.id for reference in scored if reference.id not in predictions]
    if absent:
        raise BadInput(f"{len(absent):,} questions have no prediction, among them {absent[0]}.")
    kinds = {
        isinstance(first, PredictedPair) for first in map(_first, predictions.values()) if first
    }
    if len(kinds) > 1:
        raise BadInput("Some predictions are pairs and others only answers: give one kind.")
    questions = kinds == {True}
    measures = _ANSWER_MEASURES + (QUESTION_MEASURES if questions else ())
    normal = normalise_texts(
        chain.from_iterable(_answers(each, predictions[each.id]) for each in scored)
    )
    rows: list[tuple[float, ...]] = []
    for reference in scored:
        prediction = predictions[reference.id]
        best = _best(reference, prediction, normal, questions=questions, pairing=pairing)
        rows.append((*best, *_lengths(reference, prediction, normal), float(reference.multi)))
    names = (*measures, *_LENGTHS, "multi")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    counts = {"n": len(scored), "n_multi": int(sum(columns["multi"]))}
    if left_out := len(references) - len(scored):
        counts["n_no_answer"] = left_out
    return Evaluation(
        task="ambigqa",
        ids=[reference.id for reference in scored],
        columns=columns,
        figures=_figures(questions=questions),
        options={"pairing": pairing, **(options or {})},
        counts=counts,
    )


def _figures(*, questions: bool) -> list[Figure]:
    """List the figures in the order of reporting; the official script prints the first of each."""
    words = (("tokens", "ptb"),)
    names: list[tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]]
    names = [("f1_answer", (), ("all", "multi"))]
    if questions:
        names += [(name, words, ("multi", "all")) for name in QUESTION_MEASURES]
    names += [(name, (), ("all", "multi")) for name in (*_ANSWER_MEASURES[1:], *_LENGTHS)]
    return [
        Figure(
            *(f"{name}.{items}", (name,)),
            among="multi" if items == "multi" else None,
            options=how,
            scale=None if name in _LENGTHS else SCORE,
        )
        for name, how, both in names
        for items in both
    ]


def _first(prediction: Prediction) -> str | PredictedPair | None:
    return prediction[0] if prediction else None


def _said(prediction: Prediction) -> list[str]:
    return [each.answer if isinstance(each, PredictedPair) else each for each in prediction]


def _answers(reference: Reference, prediction: Prediction) -> list[str]:
    """Return every form of every answer, gold and predicted."""
    gold = [form for each in reference.annotations for forms in each.gold for form in forms]
    return gold + _said(prediction)


def _best(
    reference: Reference,
    prediction: Prediction,
    normal: Mapping[str, str],
    *,
    questions: bool,
    pairing: Pairing,
) -> list[float]:
    """Return each measure's maximum over the annotations, in the order of the measures.

    Precision and recall are those of the best F1. ``normal`` has the normalised answers.
    """
    found, asking = (0.0, 0.0, 0.0), [0.0] * (len(QUESTION_MEASURES) if questions else 0)
    answers = [normal[answer] for answer in _said(prediction)]
    asked = [each.question for each in prediction if isinstance(each, PredictedPair)]
    compared = _Questions(reference.question)
    assign = _one_to_one if pairing == "script" else _each_its_best
    for annotation in reference.annotations:
        gold = annotation.gold
        matches = _matches(gold, answers, normal)
        if not matches:
            continue
        apart = _apart(matches)
        reached = len(matches) if apart else len({j for _, j in matches})
        matched = len(_greedy(matches)) if pairing == "script" and not apart else reached
        values = _answer_measures(matched, len(answers), len(gold))
        if values[0] > found[0]:
            found = values
        if not asking:
            continue
        if not annotation.pairs:  # a single answer has no question of its own to compare
            asking = [max(values[0], other) for other in asking]
        elif min(asking) < _f1(reached, len(answers), len(gold)):  # else no question can raise it
            scores = [
                compared.score_pair(annotation.pairs[i].question, asked[j]) for i, j in matches
            ]
            columns = zip(*scores, strict=True)
            totals = map(sum, columns) if apart else [assign(matches, each) for each in columns]
            reach = [_f1(total, len(answers), len(gold)) for total in totals]
            asking = list(map(max, reach, asking))
    return [*found, *asking]


def _matches(
    gold: Sequence[Sequence[str]], answers: Sequence[str], normal: Mapping[str, str]
) -> list[tuple[int, int]]:
    """Return (gold answer, predicted answer) wherever the second is a form of the first."""
    matches = []
    for i, forms in enumerate(gold):
        accepted = [normal[form] for form in forms]
        for j, answer in enumerate(answers):
            if answer in accepted:
                matches.append((i, j))
    return matches


def _answer_measures(matched: int, predicted: int, gold: int) -> tuple[float, float, float]:
    """Return F1-answer, precision and recall of one annotation."""
    if not matched:
        return 0.0, 0.0, 0.0
    precision, recall = matched / predicted, min(1.0, matched / gold)
    return 2 * precision * recall / (precision + recall), precision, recall


def _f1(total: float, predicted: int, gold: int) -> float:
    """F1 of precision total / predicted and recall total / gold, which is capped at 1."""
    if total <= gold:
        return 2 * total / (predicted + gold)
    precision = total / predicted
    return 2 * precision / (precision + 1)


def _greedy(matches: Sequence[tuple[int, int]]) -> list[int]:
    """Return the places of the matches that remain if each uses up its gold and its prediction."""
    used_gold: set[int] = set()
    used_predictions: set[int] = set()
    kept = []
    for place, (i, j) in enumerate(matches):
        if i not in used_gold and j not in used_predictions:
            used_gold.add(i)
            used_predictions.add(j)
            kept.append(place)
    return kept


def _apart(matches: Sequence[tuple[int, int]]) -> bool:
    """Whether no two matches share a gold answer or a predicted one."""
    count = len(matches)
    return count < 2 or len({i for i, _ in matches}) == len({j for _, j in matches}) == count


def _one_to_one(matches: Sequence[tuple[int, int]], scores: Sequence[float]) -> float:
    """Sum the scores of a one-to-one assignment made greedily, the highest first."""
    order = sorted(range(len(matches)), key=scores.__getitem__, reverse=True)
    kept = _greedy([matches[place] for place in order])
    return sum(scores[order[place]] for place in kept)


def _each_its_best(matches: Sequence[tuple[int, int]], scores: Sequence[float]) -> float:
    """Sum over the predictions the score of the best gold pair that has its answer."""
    best: dict[int, float] = {}
    for (_, j), score in zip(matches, scores, strict=True):
        best[j] = max(score, best.get(j, 0.0))
    return sum(best.values())


def _lengths(
    reference: Reference, prediction: Prediction, normal: Mapping[str, str]
) -> tuple[float, float, float, float]:
    """Return how many answers and words of answers: predicted, and gold over the annotations.

    Of a gold answer's accepted forms the first is counted.
    """
    said = _said(prediction)
    golds = [forms[0] for annotation in reference.annotations for forms in annotation.gold]
    count = len(reference.annotations)
    return (
        len(said),
        len(golds) / count,
        _words([normal[answer] for answer in said]),
        _words([normal[answer] for answer in golds]) / count,
    )


def _words(answers: Sequence[str]) -> int:
    return len(" ".join(answers).split())


def split_alternatives(question: str) -> list[str]:
    """Return the parts between the ``|`` of a gold question, blank ones left out."""
    return [part for part in map(str.strip, question.split("|")) if part]


class _Questions:
    """The questions about one prompt, each cut into words once and each two compared once.

    It lives as long as its prompt is scored: kept for longer, what it holds costs more than it
    saves.
    """

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._start: Change | None = None
        self._cut: dict[str, Words] = {}
        self._gold: dict[str, bleu.Gold] = {}
        self._changes: dict[Words, Change] = {}
        self._scores: dict[tuple[str, str], tuple[float, ...]] = {}

    def score_pair(self, gold: str, predicted: str) -> tuple[float, ...]:
        """Return BLEU-1 to BLEU-4 and EDIT-F1, as QUESTION_MEASURES has them."""
        if (gold, predicted) not in self._scores:
            self._scores[gold, predicted] = self._compare(gold, predicted)
        return self._scores[gold, predicted]

    def _compare(self, gold: str, predicted: str) -> tuple[float, ...]:
        if gold == predicted and "|" not in gold and gold.strip() == gold:
            return (*bleu.of_a_copy(len(self._words(gold))), 1.0)
        if gold not in self._gold:
            self._gold[gold] = bleu.Gold(map(self._words, split_alternatives(gold) or [""]))
        references, words = self._gold[gold], self._words(predicted)
        if words in references.texts:
            return (*bleu.bleu(references, words), 1.0)
        made = self._change(words)
        edit = max([_edit_f1(self._change(text), made) for text in references.texts])
        return (*bleu.bleu(references, words), edit)

    def _change(self, question: Words) -> Change:
        if question not in self._changes:
            if self._start is None:
                self._start = number_occurrences(self._words(self._prompt) or ("",))
            self._changes[question] = self._start ^ number_occurrences(question or ("",))
        return self._changes[question]

    def _words(self, question: str) -> Words:
        if question not in self._cut:
            self._cut[question] = tuple(tokenise_words(question))
        return self._cut[question]


def edit_f1(prompt: Words, gold: Words, predicted: Words) -> float:
    """Return the F1 of the edits that lead from the prompt to the two questions, in words.

    Edits are the multiset of words deleted and that of words added. Without any on either side it
    is 1, on one side 0. A text without words counts as one empty word, as for the official script.
    """
    return _edit_f1(_change(prompt, gold), _change(prompt, predicted))


def _edit_f1(wanted: Change, made: Change) -> float:
    count = len(wanted) + len(made)
    return 2 * len(wanted & made) / count if count else 1.0


def _change(prompt: Words, question: Words) -> Change:
    """Return the words deleted and added: what is in one of the two multisets only.

    Whether a word was deleted or added need not be said: for one prompt it is always the same.
    """
    return number_occurrences(prompt or ("",)) ^ number_occurrences(question or ("",))
