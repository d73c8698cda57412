"""A sample of the questions that a run adds, for people to look at first.

It is drawn from what the run would add by the seed alone: the same graph, pages, choice, questions
of the project and reviews give the same sample, and more of it has the same beginning.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from annotation.models import Job
from qampari.making.run import MadeQuestions
from qampari.making.splitting import draw_key, key_of_query
from qampari.models import SampledQuestion
from qampari.records import kind_of, split_of

SAMPLE_SIZE: Final = 20
MOST_SAMPLED: Final = 200
_WITH_PROOFS: Final = 10


def draw_sample(
    made: MadeQuestions, records: Sequence[Mapping[str, Any]], job: Job, seed: int
) -> list[SampledQuestion]:
    """Return rows of up to 200 questions, in an order that the seed decides. They are not written.

    records: one for each question, those of the graph first.
    """
    keys = [key_of_query(own.query) for own in made.questions] + [own.key for own in made.tables]
    keyed = dict(zip(keys, records, strict=True))
    ordered = sorted(keyed, key=lambda key: draw_key(seed, "sample", key))
    return [
        _write_row(job, position, key, keyed[key])
        for position, key in enumerate(islice(ordered, MOST_SAMPLED), start=1)
    ]


def _write_row(job: Job, position: int, key: str, record: Mapping[str, Any]) -> SampledQuestion:
    answers = record["answer_list"]
    return SampledQuestion(
        job=job,
        position=position,
        query=key,
        kind=kind_of(record["qid"]),
        split=split_of(record["qid"]) or "",
        text=record["question_text"],
        answers=[
            {"text": answer["answer_text"], "proofs": list(map(_describe_proof, answer["proof"]))}
            for answer in answers[:_WITH_PROOFS]
        ],
        others=[answer["answer_text"] for answer in answers[_WITH_PROOFS:]],
    )


def _describe_proof(proof: Mapping[str, Any]) -> dict[str, Any]:
    place = proof["evidence"]
    return {
        "text": proof["proof_text"],
        "page": place["path"].replace("_", " "),
        "url": proof["found_in_url"],
        "score": place["score"],
    }
