"""The passages of predictions as lines of the file that `score retrieval` reads."""

import orjson

from annotation.models import Question
from modeling.base import Prediction


def render_dpr_line(answered: tuple[Question, Prediction]) -> bytes:
    """Return a line of JSON in DPR's layout; `qid` is the id that the question was imported with.

    A question without passages has an empty list, and scores 0.
    """
    question, prediction = answered
    passages = [
        {"id": passage.id, "title": passage.title, "text": passage.text, "score": passage.score}
        for passage in prediction.passages
    ]
    row = {"qid": question.external_id, "question": question.prompt, "ctxs": passages}
    return orjson.dumps(row) + b"\n"
