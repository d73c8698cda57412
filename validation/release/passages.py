"""The passages that a search finds for each question, in DPR's layout (A69).

The search is BM25 over the passages of the project's Wikipedia, the one that baselines read from.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict
from annotation.models import Project, Question
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from metrics.retrieval import TitledPassage, answer_ranks
from validation.decisions.accepted_answers import read_question_chunks
from validation.release.nq_open import list_answers
from wikipedia.models import Snapshot
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import IndexProblem
from wikipedia.search.searching import PassageHit, check_index, search_passages

TOP: Final = 100


def check_has_passages(project: Project) -> None:
    """Raise Conflict where the project's Wikipedia has no passages to search."""
    wiki = project.snapshot
    if wiki.kind == Snapshot.Kind.LIVE:
        raise Conflict(f"“{wiki.name}” is a live wiki, which has no passages to search.")
    if problem := check_index(index_dir(wiki.name)):
        raise Conflict(problem)


def build_passage_records(
    project: Project,
    split: str,
    top: int = TOP,
    on_step: Callable[[int], None] = lambda number: None,
) -> Iterator[dict[str, Any]]:
    """Yield a record for each question of a split: `qid`, `question`, `answers`, `ctxs`.

    A passage has `id`, `title`, `text`, `score` and `has_answer`: whether the tokens of an answer
    stand in its text in a row, as DPR tells it. Answers are those accepted, else those known
    before; a question without any has an empty list. `on_step` is called with how many were
    searched. Raises Conflict where the index is gone.
    """
    accepted = _accepted_answers(project, split)
    questions = Question.objects.filter(project=project, split=split).order_by("pk")
    for number, question in enumerate(questions.iterator(chunk_size=500), start=1):
        answers = accepted.get(question.pk) or question.known_answers
        try:
            hits = search_passages(index_dir(project.snapshot.name), question.prompt, top)
        except IndexProblem as problem:
            raise Conflict(str(problem)) from None
        yield {
            "qid": question.external_id,
            "question": question.prompt,
            "answers": answers,
            "ctxs": _passages(hits, answers),
        }
        on_step(number)


def count_questions(project: Project, split: str) -> int:
    """Return how many questions a split has."""
    return Question.objects.filter(project=project, split=split).count()


def _accepted_answers(project: Project, split: str) -> dict[int, list[str]]:
    """Return the accepted answers of the questions that have some, where pairs are written."""
    if not protocols.protocol_of(project).has_feature(Feature.PAIRS):
        return {}
    with snapshot():
        return {
            question.pk: list_answers(question)
            for chunk in read_question_chunks(project, split)
            for question in chunk
            if not question.left_out
        }


def _passages(hits: Sequence[PassageHit], answers: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "id": hit.id,
            "title": hit.title,
            "text": hit.text,
            "score": hit.score,
            "has_answer": answer_ranks([answers], [TitledPassage(hit.title, hit.text, hit.id)])[0]
            == 1,
        }
        for hit in hits
    ]
