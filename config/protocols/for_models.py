"""What models need of each protocol of this installation."""

from evaluation.scores import disambiguations, prediction_file
from modeling import disambiguation_inputs
from modeling.base import ANSWERS, LONG_ANSWER, PAIRS, PASSAGES
from modeling.for_models import ForModels
from natural_questions import for_models as natural_questions
from qampari import for_models as qampari

_OUTPUTS = frozenset({ANSWERS, LONG_ANSWER, PAIRS})
DISAMBIGUATIONS = ForModels(
    build_inputs=disambiguation_inputs.build_baseline_inputs,
    read_examples=disambiguation_inputs.read_examples,
    outputs=_OUTPUTS,
    suggestions=_OUTPUTS | {PASSAGES},
    scoring=disambiguations.SCORING,
    file=prediction_file.PREDICTIONS,
)
FOR_MODELS = {
    "ambigqa": DISAMBIGUATIONS,
    "asqa": DISAMBIGUATIONS,
    "nq": natural_questions.FOR_MODELS,
    "qampari": qampari.FOR_MODELS,
}
