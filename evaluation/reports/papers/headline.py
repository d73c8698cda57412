"""The figures of the papers' tables under names that stay, for scripts."""

from typing import Any

from annotation.figures.registry import Request
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.reports.papers import long_answers, pairs, reading, systems


def headline_figures(request: Request) -> dict[str, Any]:
    """Return the figures, in percent and in words; None where the project has nothing of the kind.

    The names are an interface: do not change them.
    """
    protocol = protocols.protocol_of(request.project)
    by_split = None
    if protocol.has_feature(Feature.PAIRS):
        by_split = pairs.share_by_size(request.once(reading.read_accepted_pairs))
    written = request.once(reading.read_long_answers) if protocol.has_feature(Feature.LONG) else []
    question = systems.score_repeated_question(written)
    return {
        "ambignq_pairs_percent": by_split,
        "asqa_mean_length": long_answers.human_length(written),
        "asqa_human_str_em": long_answers.human_str_em(written),
        "asqa_agreement_rouge_lsum": long_answers.human_agreement(written),
        "asqa_question_x8": question
        and {
            figure.name: question.value(figure)
            for name in ("length", "rouge_lsum", "str_em")
            for figure in question.figures
            if figure.name == name
        },
    }
