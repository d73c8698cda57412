"""What a model in training is worth on dev: read as baselines read, scored by the official scorers.

A question's annotations are several examples with one id; what the model says to it is compared
with all of them, and the best one counts, as in the papers. Loads torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from metrics import ambigqa, asqa, qampari
from metrics.text import answer_key
from modeling import outputs
from modeling.base import ShortAnswer
from modeling.baselines.spans import THRESHOLD
from modeling.engines import reference
from modeling.engines.base import Classifier, ExtractiveReader, Limits
from modeling.training import recipe_kinds, recipes
from modeling.training.examples import PassageExample, TextExample
from modeling.training.figures import Figures, take_figures, take_mean
from modeling.training.oracle_scores import score_choices
from modeling.training.page_scoring import score_network, score_page_reader
from modeling.training.ranking_scores import score_ranking
from modeling.training.recipes import Recipe
from modeling.training.tensors import class_of
from modeling.weights import Weights

# How many beams the baselines of the papers write with; the others write greedily.
BEAMS: Final[Mapping[str, int]] = {"span-seq-gen": 4, "qd": 4, "disambig-first": 4}
_SPANS: Final = 50
_ANSWER: Final = "answer"  # stands for the answer that a question was written for
_NONE: Final = ((_ANSWER,),)  # stands for the answers of a long answer that comes without any

# From a question's examples, which share what was read, to what was written.
Written = Sequence[tuple[Sequence[TextExample], str]]


def score_model(recipe: Recipe, start: Weights, model: Any, examples: Sequence[Any]) -> Figures:
    """Return figures from 0 to 1 (ROUGE-L: to 100), that of the recipe's metric first.

    start: the tokenizer of the model. The model is left in the state in which it predicts, and no
    random number is drawn.
    """
    model.eval()
    if recipe.role == "jpr":
        return score_choices(recipe, reference.fused(start, model), examples)
    if recipe.learns in (recipes.WRITE, recipes.FUSE):
        return _METRICS[recipe.metric](_write(recipe, start, model, examples))
    if recipe.learns == recipes.CLASSIFY:
        right = _list_right(reference.classifier(start, model), examples)
        return take_mean(recipe.metric, right)
    if recipe.learns == recipes.FIND_SPANS:
        return _span_figures(reference.reader(start, model), examples)
    if recipe.learns == recipes.READ_PAGE:
        return score_page_reader(start, model, examples)
    if recipe.learns == recipe_kinds.READ_BOXES:
        return score_network(recipe, start, model, examples)
    return score_ranking(recipe, start, model, examples)


def score_without_model(recipe: Recipe, examples: Sequence[Any]) -> dict[str, float]:
    """Return what is reached on dev without a model, by name; nothing for most recipes.

    Of classes by always saying the larger one; of question disambiguation by writing the question
    as asked for each answer that is given (A96).
    """
    if recipe.learns == recipes.CLASSIFY:
        classes = [each.targets[0] for each in examples]
        return {"majority": max(map(classes.count, set(classes))) / len(classes)}
    if recipe.role == "qd":
        asked = [(group, group[0].question) for group in _group_by_input(examples)]
        return {f"as asked, {name}": value for name, value in _edit_figures(asked).items()}
    return {}


# --- What writes --------------------------------------------------------------------------------


def _write(recipe: Recipe, start: Weights, model: Any, examples: Sequence[TextExample]) -> Written:
    groups = _group_by_input(examples)
    limits = Limits(recipe.tokens_in, recipe.tokens_out, BEAMS.get(recipe.role, 1))
    if recipe.learns == recipes.FUSE:
        engine = reference.fused(start, model)
        texts = engine.generate([group[0].inputs for group in groups], limits)
    else:
        plain = reference.generator(start, model)
        texts = plain.generate([group[0].inputs[0] for group in groups], limits)
    return [(group, text.text) for group, text in zip(groups, texts, strict=True)]


def _group_by_input(examples: Sequence[TextExample]) -> list[list[TextExample]]:
    """Return the examples of a question that read the same together."""
    together: dict[tuple[str, tuple[str, ...]], list[TextExample]] = {}
    for example in examples:
        together.setdefault((example.id, example.inputs), []).append(example)
    return list(together.values())


def _answer_figures(written: Written) -> Figures:
    """Return F1-answer of answers between separators, or of a text that is one answer."""
    references = {
        str(number): ambigqa.Reference(
            str(number), group[0].question, tuple(_annotation(each.answers) for each in group)
        )
        for number, (group, _) in enumerate(written)
    }
    predictions = _said(written, outputs.parse_separated_answers)
    scored = ambigqa.score_predictions(list(references.values()), predictions)
    names = {"F1-answer": "f1_answer.all", "F1-answer, several": "f1_answer.multi"}
    return take_figures(scored, names)


def _said(written: Written, parse: Callable[[str], Sequence[ShortAnswer]]) -> dict[str, list[str]]:
    return {str(n): [one.text for one in parse(text)] for n, (_, text) in enumerate(written)}


def _annotation(answers: Sequence[Sequence[str]]) -> ambigqa.AmbigqaAnnotation:
    forms = [tuple(each) for each in answers]
    if len(forms) == 1:
        return ambigqa.AmbigqaAnnotation(answer=forms[0])
    return ambigqa.AmbigqaAnnotation(pairs=tuple(ambigqa.GoldPair("", each) for each in forms))


def _edit_figures(written: Written) -> Figures:
    """Return F1-EDIT of questions that were written for answers that are given."""
    references = []
    predictions: dict[str, ambigqa.Prediction] = {}
    for number, (group, text) in enumerate(written):
        pairs = [ambigqa.GoldPair("|".join(each.targets), (_ANSWER,)) for each in group]
        annotations = tuple(ambigqa.AmbigqaAnnotation(pairs=(pair,)) for pair in pairs)
        references.append(ambigqa.Reference(str(number), group[0].question, annotations))
        predictions[str(number)] = [ambigqa.PredictedPair(text, _ANSWER)]
    return take_figures(
        ambigqa.score_predictions(references, predictions),
        {"F1-EDIT": "f1_edit.all", "F1-BLEU": "f1_bleu4.all"},
    )


def _rouge_figures(written: Written) -> Figures:
    references = {
        str(number): asqa.Question(
            [asqa.AsqaPair(group[0].question, forms) for forms in group[0].answers or _NONE],
            [asqa.AsqaAnnotation(target) for each in group for target in each.targets],
        )
        for number, (group, _) in enumerate(written)
    }
    texts = {
        str(number): outputs.clean_long_answer(text) for number, (_, text) in enumerate(written)
    }
    scored = asqa.score_predictions(references, texts)
    return take_figures(scored, {"ROUGE-L": "rouge_lsum", "STR-EM": "str_em", "length": "length"})


def _list_figures(written: Written) -> Figures:
    references = {
        str(number): [qampari.QampariAnswer(forms[0], tuple(forms)) for forms in group[0].answers]
        for number, (group, _) in enumerate(written)
    }
    predictions = _said(written, outputs.parse_fid_answers)
    scored = qampari.score_predictions(references, predictions)
    return take_figures(scored, {"F1": "f1", "precision": "precision", "recall": "recall"})


def _match_figures(written: Written) -> Figures:
    """Return the share of texts that say what a target says; separated parts in any order."""
    same = [
        _parts(text) in {_parts(target) for each in group for target in each.targets}
        for group, text in written
    ]
    return take_mean("exact match", same)


def _parts(text: str) -> frozenset[str]:
    return frozenset(map(answer_key, outputs.parse_questions(text)))


_METRICS: Final[Mapping[str, Callable[[Written], Figures]]] = {
    "F1-answer": _answer_figures,
    "F1-EDIT": _edit_figures,
    "ROUGE-L": _rouge_figures,
    "F1": _list_figures,
    "exact match": _match_figures,
}


# --- What reads ---------------------------------------------------------------------------------


def _list_right(engine: Classifier, examples: Sequence[TextExample]) -> list[bool]:
    likelihoods = engine.predict_likelihoods([example.inputs[0] for example in examples])
    return [
        (likelihood > 0.5) == class_of(example)
        for example, likelihood in zip(examples, likelihoods, strict=True)
    ]


def _span_figures(engine: ExtractiveReader, examples: Sequence[PassageExample]) -> Figures:
    """Return F1-answer of the spans above γ, and how often the likeliest one is an answer."""
    references = []
    predictions: dict[str, ambigqa.Prediction] = {}
    best: list[bool] = []
    for number, example in enumerate(examples):
        passages = [*example.negatives, *example.positives]
        spans = engine.find_spans(example.question, passages, _SPANS)
        answers = outputs.build_span_answers(spans, passages)
        likely = outputs.filter_by_likelihood(answers, THRESHOLD)
        annotations = (_annotation(example.answers),)
        references.append(ambigqa.Reference(str(number), example.question, annotations))
        predictions[str(number)] = [answer.text for answer in likely]
        accepted = {answer_key(form) for forms in example.answers for form in forms}
        best.append(any(answer_key(answer.text) in accepted for answer in answers[:1]))
    scored = ambigqa.score_predictions(references, predictions)
    return take_figures(scored, {"F1-answer": "f1_answer.all"}, {"exact match": best})
