"""What the sheets of judges ask about an item, for a judge who is no person at a form.

Questions and options are those of the sheet, and so are the rules for what is answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.sheets.sheet import Sheet
from annotation.stages import registry as stages
from annotation.text.cleaning import ResponseError
from annotation.work.stage import SheetStage
from evaluation.judging.expert import CORRECT, AnswerJudgingContext, ExpertSheet
from evaluation.judging.sheet import BETTER, FOUND, STEPS, JudgingContext, JudgingSheet
from evaluation.judging.shown import show_texts
from evaluation.studies.answer_text import render_study_text
from evaluation.studies.models import Item, Study

_PARTS = {"left": "found", "right": "found", "choice": "better"}
_LISTS = {"choice": "choices"}


@dataclass(frozen=True)
class AskedQuestion:
    """One question of a form.

    field: its name on the form; heading: what is asked; about: of what, "" where that is clear;
    options: their values with the words that people read.
    """

    field: str
    heading: str
    about: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class AskedItem:
    """An item as judges read it. texts: the answers by the names they have on the form."""

    prompt: str
    texts: Mapping[str, str]
    questions: Sequence[AskedQuestion]
    sheet: Sheet[Any, Any]
    given: Any

    def build_response(self, chosen: Mapping[str, str], why: str) -> dict[str, object]:
        """Return what was chosen, by field, as stages keep it.

        Raises ResponseError where the form could not be submitted like this.
        """
        data: dict[str, Any] = {"why": why}
        for question in self.questions:
            part, _, number = question.field.partition("-")
            value = chosen[question.field]
            if number:
                data.setdefault(_LISTS.get(part, part), []).append({_PARTS[part]: value})
            else:
                data[part] = value
        response = self.sheet.adapt_response(
            self.sheet.response_from_json(data, self.given), self.given
        )
        report = self.sheet.rules.run(response, self.given)
        if report.blocking:
            raise ResponseError(report.blocking[0].summary)
        return self.sheet.dump(response)


def ask_item(study: Study, item: Item, texts: Sequence[str], *, swapped: bool) -> AskedItem:
    """Return an item of a study as a judge sees it.

    item: with its question; texts: of its first system and its second; swapped: the second is on
    the left.
    """
    stage = stages.get_stage(study.stage)
    assert isinstance(stage, SheetStage)
    if isinstance(stage.sheet, ExpertSheet):
        return _ask_expert(stage.sheet, study, item, texts[0])
    given = show_texts(
        item.question.prompt,
        texts,
        how=study.shown,
        swapped=swapped,
        pairs=item.question.context.get("qa_pairs") or [],
        accuracy=study.accuracy,
        criteria=study.criteria,
        steps=study.steps,
    )
    return AskedItem(
        prompt=given.prompt,
        texts=dict(zip(given.names, given.texts, strict=True)),
        questions=[*_list_marks(given), *_list_choices(given)],
        sheet=stage.sheet,
        given=given,
    )


def _list_marks(given: JudgingContext) -> list[AskedQuestion]:
    blank = JudgingSheet.blank
    return [
        AskedQuestion(
            f"{side}-{number}",
            given.ask_about(name),
            f"{row.question} {' · '.join(row.answers)}",
            FOUND,
        )
        for side, name, _, number, _ in given.list_marks(blank)
        for row in [given.disambiguations[number - 1]]
    ]


def _list_choices(given: JudgingContext) -> list[AskedQuestion]:
    return [
        AskedQuestion(
            f"choice-{number}",
            BETTER,
            ". ".join(filter(None, (criterion.label, criterion.wording))),
            dict(STEPS[given.steps]),
        )
        for number, criterion in enumerate(given.criteria, start=1)
    ]


def _ask_expert(sheet: ExpertSheet, study: Study, item: Item, text: str) -> AskedItem:
    given = AnswerJudgingContext(
        prompt=item.question.prompt,
        text=render_study_text(text, study.shown),
        item=item.pk,
        author=None,
    )
    asks = " ".join(
        f"If it is “{sheet.labels[value]}”: {asked}" for value, asked in sheet.asks.items()
    )
    return AskedItem(
        prompt=given.prompt,
        texts={"The answer": given.text},
        questions=[AskedQuestion("verdict", CORRECT, asks, sheet.labels)],
        sheet=sheet,
        given=given,
    )
