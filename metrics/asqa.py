"""ASQA: long answers to ambiguous questions, against two annotators and the short answers.

Everything is per question, then a mean over questions, in percent (``length`` in words):

``rouge_lsum``
    ROUGE-L F1 at summary level, lower-cased and stemmed, with the nearest of the annotators' long
    answers.
``str_em``
    Share of the disambiguated questions that have a short answer in the prediction, as characters
    of the normalised texts. An answer of which normalisation leaves nothing (``The``) is in every
    prediction.
``length``
    White-space separated words.
``qa_f1``, ``qa_em``, ``qa_hit``
    An extractive reader answered each disambiguated question from the prediction: the best token
    F1 and exact match of its answer against the short answers, mean over the question's pairs;
    ``qa_hit`` is 100 where all match exactly. ``qa_f1`` is the paper's Disambig-F1.
``dr``
    The geometric mean of the two aggregates ``rouge_lsum`` and ``qa_f1``.

Source: Stelmakh et al. 2022, "ASQA: Factoid Questions Meet Long-Form Answers", section 5, and its
scorer. That one reports the median of 1,000 unseeded resamples as ROUGE-L; here it is the mean.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from metrics import rouge, sentences
from metrics.score import PERCENT, BadInput, Evaluation, Figure, Numbers, missing_option
from metrics.text import normalise_text


class AsqaPair(NamedTuple):
    """A disambiguated question, its accepted short answers, and the paragraph they are from."""

    question: str
    short_answers: Sequence[str]
    context: str = ""


class AsqaAnnotation(NamedTuple):
    """An annotator's long answer and the pieces of evidence that were added for it."""

    long_answer: str
    knowledge: Sequence[str] = ()


class Question(NamedTuple):
    """What a prediction is compared with: at least one pair and at least one annotation."""

    pairs: Sequence[AsqaPair]
    annotations: Sequence[AsqaAnnotation]


def score_predictions(
    references: Mapping[str, Question],
    predictions: Mapping[str, str],
    *,
    reader_answers: Mapping[str, Sequence[str]] | None = None,
    splitter: sentences.Splitter | None = None,
    options: Mapping[str, str] | None = None,
) -> Evaluation:
    """Score long answers; a question without a prediction counts 0, its length too.

    ``reader_answers`` has the reader's answers by ``<id>_<index of the pair>``, usually one each;
    a pair without any counts 0. Without the mapping there are no ``qa_*`` and no ``dr``.
    ``splitter`` defaults to ``sentences.splitter()``; ``options`` are further ones for the
    signature.

    Columns besides the figures': ``rouge_lsum_1``, ``rouge_lsum_2``, … with the single annotations,
    as many as every question has.
    """
    cut = splitter or sentences.choose_splitter()
    by_reference = [
        _rouge(question, predictions.get(name), cut) for name, question in references.items()
    ]
    golds = {name: _golds(question.pairs) for name, question in references.items()}
    columns = {
        "rouge_lsum": [max(values) for values in by_reference],
        "str_em": [
            _present(golds[name], predictions[name]) if name in predictions else 0.0
            for name in references
        ],
        "length": [float(len(predictions.get(name, "").split())) for name in references],
    }
    figures = [_mean(name) for name in columns]
    absent = missing_option(references, predictions)
    for place in range(min(map(len, by_reference), default=0)):
        columns[f"rouge_lsum_{place + 1}"] = [values[place] for values in by_reference]
    if reader_answers is not None:
        read = [_read(name, golds[name], reader_answers) for name in references]
        for place, name in enumerate(("qa_f1", "qa_em", "qa_hit")):
            columns[name] = [values[place] for values in read]
            figures.append(_mean(name))
        figures.append(Figure("dr", ("qa_f1", "rouge_lsum"), _geometric_mean, scale=PERCENT))
        pairs = [f"{name}_{place}" for name in references for place in range(len(golds[name]))]
        absent |= missing_option(pairs, reader_answers)
    return Evaluation(
        task="asqa",
        ids=list(references),
        columns=columns,
        figures=figures,
        options={"sentences": cut.name, **(options or {})} | absent,
        counts={
            "n": len(references),
            "qa_pairs": sum(len(question.pairs) for question in references.values()),
        },
    )


def str_em(pairs: Iterable[AsqaPair], text: str) -> float:
    """Return the percentage of pairs with a short answer in a text, normalised, as characters."""
    return _present(_golds(pairs), text)


def disambig_f1(pairs: Sequence[AsqaPair], answers: Sequence[str]) -> float:
    """Return ``qa_f1`` of one question: the reader's answer to each of its pairs, in order."""
    read = {f"_{place}": [answer] for place, answer in enumerate(answers)}
    return _read("", _golds(pairs), read)[0]


def first_present(pairs: Iterable[AsqaPair], text: str) -> list[int | None]:
    """Return for each pair which of its short answers ``str_em`` finds in a text: the first.

    None where it finds none.
    """
    return _first_present(_golds(pairs), text)


def token_f1(gold: str, answer: str) -> float:
    """Return the F1 of the normalised words in common, from 0 to 1.

    Where one of the two has no words it is 1 if the other has none, otherwise 0.
    """
    return _f1(normalise_text(gold), normalise_text(answer))


def repeat_question(question: str) -> str:
    """Return the answer of ASQA's lower bound QUESTION: the question, eight times (section 5.1)."""
    return " ".join([question.strip()] * 8)  # as long as what other systems write


def human_performance(
    references: Mapping[str, Question],
    *,
    annotator: int = 0,
    reader_answers: Mapping[str, Sequence[str]] | None = None,
    splitter: sentences.Splitter | None = None,
) -> Evaluation:
    """Score one annotator's long answers against those of the others, as if a system's.

    ``annotator`` counts from 0; questions without that annotator or without another are left out.
    ``reader_answers`` are the reader's from that annotator's answers. Raises ``BadInput`` where no
    question is left.
    """
    shared = with_annotator(references, annotator)
    return score_predictions(
        drop_annotation(shared, annotator),
        {name: q.annotations[annotator].long_answer for name, q in shared.items()},
        reader_answers=reader_answers,
        splitter=splitter,
        options={"annotator": str(annotator + 1), "annotations": "others"},
    )


def with_annotator(references: Mapping[str, Question], annotator: int) -> dict[str, Question]:
    """Return the questions that have this annotator, counted from 0, and another one.

    Raises ``BadInput`` where there is none.
    """
    shared = {
        name: question
        for name, question in references.items()
        if annotator < len(question.annotations) > 1
    }
    if not shared:
        raise BadInput("No question has a second annotation: there is nothing to compare.")
    return shared


def drop_annotation(
    references: Mapping[str, Question], annotation: int | str
) -> dict[str, Question]:
    """Return the questions without one annotation: the one at a place from 0, or the "longest".

    An oracle that was given an annotator's knowledge is scored against the others (ASQA, section
    6). The longest has most characters; of two alike, the first. A question that is left with no
    annotation is left out. Raises ``BadInput`` where none stays.
    """
    others = {}
    for name, question in references.items():
        lengths = [len(row.long_answer) for row in question.annotations]
        place = lengths.index(max(lengths)) if isinstance(annotation, str) else annotation
        kept = [row for number, row in enumerate(question.annotations) if number != place]
        if kept:
            others[name] = Question(question.pairs, kept)
    if not others:
        raise BadInput("No question has a second annotation: there is nothing to compare.")
    return others


def score_annotator_agreement(
    references: Mapping[str, Question], *, splitter: sentences.Splitter | None = None
) -> Evaluation:
    """Return how close annotators are: the mean ROUGE-L F1 of each pair of annotations, percent.

    Per question the mean over its pairs. ``rouge_lsum`` is ROUGE-L as everywhere in ASQA, at
    summary level, and the mean of both directions, because who counts as the reference matters a
    little; ``rouge_l`` compares each text as one sequence. Questions with one annotation are left
    out. Raises ``BadInput`` where none is left. Source: ASQA, section 3.3, whose 49.6 is
    ``rouge_lsum``.
    """
    shared = {name: q for name, q in references.items() if len(q.annotations) > 1}
    if not shared:
        raise BadInput("No question has a second annotation: agreement needs two.")
    cut = splitter or sentences.choose_splitter()
    columns: dict[str, list[float]] = {"rouge_lsum": [], "rouge_l": []}
    for question in shared.values():
        answers = [annotation.long_answer.lower() for annotation in question.annotations]
        split = [rouge.tokenise_sentences(cut.split_sentences(answer)) for answer in answers]
        columns["rouge_lsum"].append(
            _percent(
                [rouge.RougeCandidate(a).score_against(b).f1 for a, b in permutations(split, 2)]
            )
        )
        columns["rouge_l"].append(
            _percent([rouge.rouge_l(a, b).f1 for a, b in combinations(answers, 2)])
        )
    return Evaluation(
        task="asqa-agreement",
        ids=list(shared),
        columns=columns,
        figures=[_mean(name) for name in columns],
        options={"sentences": cut.name},
    )


def support_document(
    question: Question, annotation: AsqaAnnotation, *, disambiguations: bool = True
) -> str:
    """Return the text that an annotation rests on, one piece per line.

    The disambiguated questions with their short answers, the paragraph of context of each (as
    often as it is one's), and the annotator's own knowledge.
    """
    pieces = []
    if disambiguations:
        pieces = [f"{pair.question} {', '.join(pair.short_answers)}" for pair in question.pairs]
    pieces += [pair.context for pair in question.pairs if pair.context]
    return "\n".join([*pieces, *annotation.knowledge])


def score_attributability(references: Mapping[str, Question]) -> Evaluation:
    """Return how much of each annotation its support document has: ROUGE-1 recall, percent.

    One item per annotation, ``<id>_<index>``. ``without_disambiguations`` leaves these out of the
    document; ``support_length`` and ``support_length_without_disambiguations`` are its mean words.
    Source: ASQA, section 3.3.
    """
    ids = []
    columns: dict[str, list[float]] = {
        "with_disambiguations": [],
        "without_disambiguations": [],
        "support_length": [],
        "support_length_without_disambiguations": [],
    }
    recalls, recalls_without, lengths, lengths_without = columns.values()
    for name, question in references.items():
        for place, annotation in enumerate(question.annotations):
            ids.append(f"{name}_{place}")
            for whole, recall, length in (
                (True, recalls, lengths),
                (False, recalls_without, lengths_without),
            ):
                document = support_document(question, annotation, disambiguations=whole)
                recall.append(100 * rouge.rouge_1(annotation.long_answer, document).recall)
                length.append(float(len(document.split())))
    return Evaluation("asqa-attributability", ids, columns, [_mean(name) for name in columns])


def _mean(name: str) -> Figure:
    return Figure(name, (name,), scale=None if "length" in name else PERCENT)


def _geometric_mean(first: Numbers, second: Numbers) -> Numbers:
    return (first * second) ** 0.5


def _percent(shares: Sequence[float]) -> float:
    return 100 * sum(shares) / len(shares)


def _rouge(question: Question, prediction: str | None, cut: sentences.Splitter) -> list[float]:
    """Return ROUGE-L F1, percent, with each annotation."""
    if not prediction:
        return [0.0 for _ in question.annotations]
    candidate = rouge.RougeCandidate(
        rouge.tokenise_sentences(cut.split_sentences(prediction.lower()))
    )
    return [
        100
        * candidate.score_against(
            rouge.tokenise_sentences(cut.split_sentences(annotation.long_answer.lower()))
        ).f1
        for annotation in question.annotations
    ]


def _golds(pairs: Iterable[AsqaPair]) -> list[list[str]]:
    """Return the normalised short answers of each pair."""
    return [[normalise_text(answer) for answer in pair.short_answers] for pair in pairs]


def _present(golds: Sequence[Sequence[str]], text: str) -> float:
    return _percent([found is not None for found in _first_present(golds, text)])


def _first_present(golds: Sequence[Sequence[str]], text: str) -> list[int | None]:
    text = normalise_text(text)
    return [
        next((place for place, answer in enumerate(answers) if answer in text), None)
        for answers in golds
    ]


def _f1(gold: str, answer: str) -> float:
    """Return ``token_f1`` of two texts that are normalised."""
    if gold == answer:
        return 1.0
    ours, theirs = gold.split(), answer.split()
    if not (shared := set(ours).intersection(theirs)):
        return 0.0
    common = sum(min(ours.count(word), theirs.count(word)) for word in shared)
    precision, recall = common / len(theirs), common / len(ours)
    return 2 * precision * recall / (precision + recall)


def _read(
    name: str, golds: Sequence[Sequence[str]], given: Mapping[str, Sequence[str]]
) -> tuple[float, float, float]:
    """Return F1, exact match and hit of the reader on one question, percent."""
    best, exact = [], []
    for place, accepted in enumerate(golds):
        answers = [normalise_text(answer) for answer in given.get(f"{name}_{place}", ())]
        matches = any(map(accepted.__contains__, answers))
        exact.append(float(matches))
        best.append(
            1.0
            if matches
            else max((_f1(gold, answer) for gold in accepted for answer in answers), default=0.0)
        )
    return _percent(best), _percent(exact), 100.0 * all(exact)
