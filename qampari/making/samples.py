"""A sample of the questions that a run adds, for people to look at first.

It is drawn from what the run would add by the seed alone: the same graph, pages, choice, questions
of the project and reviews give the same sample, and more of it has the same beginning.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from annotation.models import Job
from qampari.making.splitting import draw_key, key_of_query, kind_of_query
from qampari.making.worded import WordedQuery
from qampari.models import SampledQuestion

SAMPLE_SIZE: Final = 20
MOST_SAMPLED: Final = 200
_WITH_PROOFS: Final = 10


def draw_sample(
    made: Iterable[tuple[WordedQuery, Mapping[str, Any]]], job: Job, seed: int
) -> list[SampledQuestion]:
    """Return rows of up to 200 questions, in an order that the seed decides. They are not written.

    made: questions with their records.
    """
    keyed = {key_of_query(own.query): (own, record) for own, record in made}
    ordered = sorted(keyed, key=lambda key: draw_key(seed, "sample", key))
    return [
        _write_row(job, position, key, *keyed[key])
        for position, key in enumerate(islice(ordered, MOST_SAMPLED), start=1)
    ]


def _write_row(
    job: Job, position: int, key: str, own: WordedQuery, record: Mapping[str, Any]
) -> SampledQuestion:
    answers = record["answer_list"]
    return SampledQuestion(
        job=job,
        position=position,
        query=key,
        kind=kind_of_query(own.query),
        split=own.split,
        text=own.question.text,
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
