"""What the automatic metrics say of answers, one by one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotation.contexts.inputs import inputs_of
from annotation.models import LongAnswer, Question
from evaluation.scores.values import identify_text
from evaluation.systems.models import Output
from metrics import asqa, sentences

# Keys of the metrics: name by system by external id of the question.
Scores = dict[str, dict[str, dict[str, float]]]


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """The answer of a system to a question, with what it is scored against.

    knowledge_of: which reference's evidence the system was given (`identify_text`), "" for none.
    """

    system: str
    question: str
    text: str
    pairs: Sequence[asqa.AsqaPair]
    references: Sequence[str]
    knowledge_of: str = ""

    @property
    def others(self) -> list[str]:
        """The references of other writers: neither the answer itself, nor the one whose knowledge
        it rests on (S41).
        """
        return [
            text
            for text in self.references
            if text != self.text
            and not (self.knowledge_of and self.knowledge_of == identify_text(text))
        ]


def score_answers(answers: Iterable[SystemAnswer]) -> Scores:
    """Return STR-EM and ROUGE-L in percent and the length in words of each answer.

    A metric has only the answers that it can score: STR-EM needs disambiguations, ROUGE-L also a
    reference of another writer. Disambig-F1 is from what a reader answered (`read`).
    """
    cut = sentences.choose_splitter()
    found: defaultdict[str, defaultdict[str, dict[str, float]]]
    found = defaultdict(lambda: defaultdict(dict))
    for answer in answers:
        system, question = answer.system, answer.question
        found["length"][system][question] = float(len(answer.text.split()))
        if not answer.pairs:
            continue
        found["str_em"][system][question] = asqa.str_em(answer.pairs, answer.text)
        if others := [asqa.AsqaAnnotation(text) for text in answer.others]:
            evaluation = asqa.score_predictions(
                {question: asqa.Question(answer.pairs, others)},
                {question: answer.text},
                splitter=cut,
            )
            found["rouge_l"][system][question] = evaluation.columns["rouge_lsum"][0]
    return {metric: dict(by_system) for metric, by_system in found.items()}


def attach_references(
    questions: Mapping[int, Question],
    outputs: Iterable[Output],
    references: Mapping[int, Sequence[str]],
    knowledge: Mapping[int, str],
) -> Iterator[SystemAnswer]:
    """Yield these outputs with what they are scored against.

    knowledge: by the id of an output, whose knowledge an oracle was given.
    """
    for output in outputs:
        question = questions[output.question_id]
        given = inputs_of(question.prompt, question.context or {}, {}).disambiguations
        yield SystemAnswer(
            str(output.system),
            question.external_id,
            output.text,
            [row.pair for row in given if row.answers],
            references[question.pk],
            knowledge.get(output.pk, ""),
        )


def references_of(questions: Mapping[int, Question]) -> Mapping[int, list[str]]:
    """Return the long answers to each question: the project's own, and those of its file."""
    texts: dict[int, dict[str, None]] = {pk: {} for pk in questions}
    counted = Q(assignment=None) | Q(assignment__state="submitted", assignment__used=True)
    written = LongAnswer.objects.filter(counted, question__in=questions)
    for answered, text in written.values_list("question", "text"):
        texts[answered][text] = None
    for pk, question in questions.items():
        texts[pk] |= dict.fromkeys(_annotated(question.context))
    return {pk: list(of_question) for pk, of_question in texts.items()}


def _annotated(context: Any) -> Iterator[str]:
    annotations = context.get("annotations") if isinstance(context, dict) else None
    for row in annotations if isinstance(annotations, list) else []:
        text = row.get("long_answer") if isinstance(row, dict) else None
        if isinstance(text, str) and text:
            yield text
