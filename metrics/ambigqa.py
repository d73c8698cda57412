"""AmbigQA: which answers were found, and how well each was distinguished from the others.

Every measure compares the predicted answers, or question-answer pairs, of one question with each of
its accepted annotations, and keeps the best annotation, measure by measure.

Source: Min et al. 2020, section 3.2, and the official evaluation script, whose pairing is the
default; the two differ (see ``Pairing``).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Literal, NamedTuple

from metrics import bleu
from metrics.bleu import Words
from metrics.score import BadInput, Evaluation, Figure
from metrics.text import normalise, tokens

Pairing = Literal["script", "paper"]
"""How predictions meet gold pairs: ``script`` assigns them one to one, the best question first;
``paper`` gives each prediction the best gold pair with its answer, also one that is taken."""

QUESTION_MEASURES = ("f1_bleu1", "f1_bleu2", "f1_bleu3", "f1_bleu4", "f1_edit")
_ANSWER_MEASURES = ("f1_answer", "precision_answer", "recall_answer")
_LENGTHS = ("answers", "gold_answers", "answer_words", "gold_answer_words")
_CACHED = 65_536


class Pair(NamedTuple):
    """A predicted question with its answer."""

    question: str
    answer: str


Prediction = Sequence[str] | Sequence[Pair]
"""What a system says about one question: answers, or pairs; it may be empty."""


class GoldPair(NamedTuple):
    """A disambiguated question and the accepted forms of its answer.

    ``|`` in the question separates alternatives.
    """

    question: str
    answers: tuple[str, ...]


class Annotation(NamedTuple):
    """One annotator's annotation: a single answer (its accepted forms), or several pairs."""

    answer: tuple[str, ...] = ()
    pairs: tuple[GoldPair, ...] = ()

    @property
    def gold(self) -> list[tuple[str, ...]]:
        """The accepted forms of each answer."""
        return [pair.answers for pair in self.pairs] or [self.answer]


class Reference(NamedTuple):
    """A prompt question with its accepted annotations; without one it cannot be scored."""

    id: str
    question: str
    annotations: tuple[Annotation, ...]

    @property
    def multi(self) -> bool:
        """Whether no annotation holds the question to have a single answer."""
        return all(annotation.pairs for annotation in self.annotations)


def evaluate(
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
    kinds = {isinstance(first, Pair) for first in map(_first, predictions.values()) if first}
    if len(kinds) > 1:
        raise BadInput("Some predictions are pairs and others only answers: give one kind.")
    questions = kinds == {True}
    measures = _ANSWER_MEASURES + (QUESTION_MEASURES if questions else ())
    rows: list[tuple[float, ...]] = []
    for reference in scored:
        prediction = predictions[reference.id]
        best = _best(reference, prediction, questions=questions, pairing=pairing)
        rows.append((*best, *_lengths(reference, prediction), float(reference.multi)))
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
        Figure(f"{name}.{items}", (name,), among="multi" if items == "multi" else None, options=how)
        for name, how, both in names
        for items in both
    ]


def _first(prediction: Prediction) -> str | Pair | None:
    return prediction[0] if prediction else None


def _best(
    reference: Reference, prediction: Prediction, *, questions: bool, pairing: Pairing
) -> list[float]:
    """Return each measure's maximum over the annotations, in the order of the measures.

    Precision and recall are those of the best F1.
    """
    found, asking = (0.0, 0.0, 0.0), [0.0] * (len(QUESTION_MEASURES) if questions else 0)
    if not prediction:
        return [*found, *asking]
    answers = [_normal(each.answer if isinstance(each, Pair) else each) for each in prediction]
    asked = [each.question for each in prediction if isinstance(each, Pair)]
    compared = _Questions(reference.question)
    assign = _one_to_one if pairing == "script" else _each_its_best
    for annotation in reference.annotations:
        matches = _matches(annotation, answers)
        count, reached = len(annotation.gold), len({j for _, j in matches})
        matched = len(_greedy(matches)) if pairing == "script" else reached
        found = max(found, _answer_measures(matched, len(answers), count), key=itemgetter(0))
        if not asking:
            continue
        if not annotation.pairs:  # a single answer has no question of its own to compare
            value = _answer_measures(matched, len(answers), count)[0]
            asking = [max(value, other) for other in asking]
        elif min(asking) < _f1(reached, len(answers), count):  # else no question can raise it
            scores = [compared.scores(annotation.pairs[i].question, asked[j]) for i, j in matches]
            totals = [assign(matches, column) for column in zip(*scores, strict=True)]
            values = [_f1(total, len(answers), count) for total in totals]
            asking = list(map(max, values, asking))
    return [*found, *asking]


def _matches(annotation: Annotation, answers: Sequence[str]) -> list[tuple[int, int]]:
    """Return (gold answer, predicted answer) wherever the second is a form of the first."""
    said = list(enumerate(answers))
    matches = []
    for i, forms in enumerate(annotation.gold):
        accepted = set(map(_normal, forms))
        matches += [(i, j) for j, answer in said if answer in accepted]
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
    if _apart(matches):
        return list(range(len(matches)))
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
    if _apart(matches):
        return sum(scores)
    order = sorted(range(len(matches)), key=scores.__getitem__, reverse=True)
    kept = _greedy([matches[place] for place in order])
    return sum(scores[order[place]] for place in kept)


def _each_its_best(matches: Sequence[tuple[int, int]], scores: Sequence[float]) -> float:
    """Sum over the predictions the score of the best gold pair that has its answer."""
    best: dict[int, float] = {}
    for (_, j), score in zip(matches, scores, strict=True):
        best[j] = max(score, best.get(j, 0.0))
    return sum(best.values())


def _lengths(reference: Reference, prediction: Prediction) -> tuple[float, float, float, float]:
    """Return how many answers and words of answers: predicted, and gold over the annotations.

    Of a gold answer's accepted forms the first is counted.
    """
    said = [each.answer if isinstance(each, Pair) else each for each in prediction]
    golds = [forms[0] for annotation in reference.annotations for forms in annotation.gold]
    count = len(reference.annotations)
    return (
        len(said),
        len(golds) / count,
        sum(map(_words, said)),
        sum(map(_words, golds)) / count,
    )


@lru_cache(_CACHED)
def _words(answer: str) -> int:
    left = _normal(answer)
    return left.count(" ") + 1 if left else 0


_normal: Callable[[str], str] = lru_cache(_CACHED)(normalise)


def alternatives(question: str) -> list[str]:
    """Return the parts between the ``|`` of a gold question, blank ones left out."""
    return [part for part in map(str.strip, question.split("|")) if part]


class _Questions:
    """The questions about one prompt, each cut into words once and each two compared once.

    It lives as long as its prompt is scored: kept for longer, what it holds costs more than it
    saves.
    """

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._cut: dict[str, Words] = {}
        self._gold: dict[str, bleu.Gold] = {}
        self._edits: dict[Words, dict[str, int]] = {}
        self._scores: dict[tuple[str, str], tuple[float, ...]] = {}

    def scores(self, gold: str, predicted: str) -> tuple[float, ...]:
        """Return BLEU-1 to BLEU-4 and EDIT-F1, as QUESTION_MEASURES has them."""
        if (gold, predicted) not in self._scores:
            self._scores[gold, predicted] = self._compare(gold, predicted)
        return self._scores[gold, predicted]

    def _compare(self, gold: str, predicted: str) -> tuple[float, ...]:
        if gold not in self._gold:
            texts = [self._words(part) for part in alternatives(gold)]
            self._gold[gold] = bleu.Gold(texts or [()])
        references, words = self._gold[gold], self._words(predicted)
        if words in references.texts:
            return (*bleu.bleu(references, words), 1.0)
        made = self._change(words)
        edit = max(_edit_f1(self._change(text), made) for text in references.texts)
        return (*bleu.bleu(references, words), edit)

    def _change(self, question: Words) -> dict[str, int]:
        if question not in self._edits:
            self._edits[question] = _edits(self._words(self._prompt), question)
        return self._edits[question]

    def _words(self, question: str) -> Words:
        if question not in self._cut:
            self._cut[question] = tuple(tokens(question))
        return self._cut[question]


def edit_f1(prompt: Words, gold: Words, predicted: Words) -> float:
    """Return the F1 of the edits that lead from the prompt to the two questions, in words.

    Edits are the multiset of words deleted and that of words added. Without any on either side it
    is 1, on one side 0. A text without words counts as one empty word, as for the official script.
    """
    return _edit_f1(_edits(prompt, gold), _edits(prompt, predicted))


def _edit_f1(wanted: Mapping[str, int], made: Mapping[str, int]) -> float:
    matched = 0
    for word, times in made.items():
        other = wanted.get(word, 0)
        if times * other > 0:
            matched += min(abs(times), abs(other))
    count = sum(map(abs, wanted.values())) + sum(map(abs, made.values()))
    return 2 * matched / count if count else 1.0


def _edits(prompt: Words, question: Words) -> dict[str, int]:
    """Return how often each word was added or, as a negative number, deleted."""
    change: dict[str, int] = {}
    for word in question or ("",):
        change[word] = change.get(word, 0) + 1
    for word in prompt or ("",):
        change[word] = change.get(word, 0) - 1
    return change
