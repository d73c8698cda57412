"""What an item of a rehearsal gives its sheet: what an assignment would, without one."""

from collections.abc import Sequence

from annotation.models import Question
from annotation.sheets.work_context import WorkContext
from annotation.stages import registry as stages
from evaluation.judging.expert import AnswerJudgingContext
from evaluation.judging.sheet import JudgingContext
from evaluation.judging.shown import show_texts
from evaluation.judging.stages import Judging
from evaluation.rehearsals.kept import Rehearsal
from evaluation.studies.answer_text import render_study_text


def build_rehearsed_context(
    rehearsal: Rehearsal, question: Question, texts: Sequence[str], *, swapped: bool
) -> JudgingContext | AnswerJudgingContext:
    """Return what the sheet of the rehearsed stage may know of these texts."""
    if not isinstance(stages.get_stage(rehearsal.stage), Judging):
        plain = WorkContext(
            prompt=question.prompt,
            context=question.context or {},
            settings=question.project.rule_settings,
        )
        text = render_study_text(texts[0], rehearsal.shown)
        return AnswerJudgingContext(**vars(plain), text=text, item=0, author=None)
    return show_texts(
        question.prompt,
        texts,
        how=rehearsal.shown,
        swapped=swapped,
        pairs=(question.context or {}).get("qa_pairs") or [],
        accuracy=rehearsal.accuracy,
        criteria=rehearsal.criteria,
        steps=rehearsal.steps,
    )
