"""What models need of each protocol of this installation."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from evaluation.scores import disambiguations, prediction_file
from modeling import disambiguation_inputs
from modeling.base import ANSWERS, LONG_ANSWER, PAIRS, PASSAGES
from modeling.for_models import ForModels
from modeling.training.disambiguations import read_answer_sets, read_long_answers
from natural_questions import for_models as natural_questions
from natural_questions import training as natural_questions_training
from qampari import for_models as qampari
from qampari import training as qampari_training

_OUTPUTS = frozenset({ANSWERS, LONG_ANSWER, PAIRS})
_DISAMBIGUATIONS = ForModels(
    build_inputs=disambiguation_inputs.build_baseline_inputs,
    read_examples=disambiguation_inputs.read_examples,
    outputs=_OUTPUTS,
    suggestions=_OUTPUTS | {PASSAGES},
    scoring=disambiguations.SCORING,
    file=prediction_file.PREDICTIONS,
)
FOR_MODELS: Final[Mapping[str, ForModels]] = {
    "ambigqa": replace(_DISAMBIGUATIONS, read_labelled=read_answer_sets),
    "asqa": replace(_DISAMBIGUATIONS, read_labelled=read_long_answers),
    "nq": replace(
        natural_questions.FOR_MODELS, read_labelled=natural_questions_training.read_labelled
    ),
    "qampari": replace(qampari.FOR_MODELS, read_labelled=qampari_training.read_labelled),
}
