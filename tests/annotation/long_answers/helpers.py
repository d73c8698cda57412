"""Rows and responses of ASQA that several test modules share."""

from annotation.long_answers.response import LongAnswerResponse, Piece, Wording
from annotation.models import StagePolicy
from annotation.work import assignments, tasks
from tests import factories

TUNNEL = {
    "qa_pairs": [
        {
            "question": "When did the Thames Tunnel open to walkers?",
            "short_answers": ["25 March 1843", "March 25, 1843"],
            "context": "Walkers first used the tunnel on 25 March 1843 and paid a penny each.",
            "wikipage": "Thames Tunnel",
        },
        {
            "question": "When did the Thames Tunnel open to trains?",
            "short_answers": ["7 December 1869"],
            "context": None,
            "wikipage": None,
        },
    ],
    "wikipages": [
        {"title": "Thames Tunnel", "url": "https://en.wikipedia.org/wiki/Thames%20Tunnel"},
        {"title": "East London line", "url": "https://en.wikipedia.org/wiki/East%20London%20line"},
    ],
}
TEXT = (
    "The Thames Tunnel opened twice. Walkers paid a penny to go through it from 25 March 1843. "
    "A railway company bought it later, and trains ran through the tunnel from 7 December 1869."
)
KNOWLEDGE = (Piece("The East London Railway Company bought the tunnel in 1865.", "Thames Tunnel"),)


def make_project(people=2, **fields):
    """A running ASQA project over a snapshot that needs no archive."""
    project = factories.make_project(policies=False, protocol="asqa", **fields)
    for split, asked in (("train", 1), ("dev", people), ("test", people)):
        StagePolicy.objects.create(
            project=project,
            stage="long_answers",
            split=split,
            people=asked,
            lease_minutes=60,
            minimum_seconds=0,
        )
    return project


def make_question(project, context=TUNNEL, text="when did the thames tunnel open", **fields):
    """A long-answer question, without its task."""
    return factories.make_question(project, text=text, context=context, **fields)


def open_question(project, now, **fields):
    """A long-answer question with its task, ready to be taken."""
    question = make_question(project, **fields)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


def take(project, user, now):
    """Take the next question."""
    return assignments.take_next(project=project, stage="long_answers", by=user, now=now)


def response(text=TEXT, knowledge=KNOWLEDGE, **fields):
    """A long answer that no rule asks about."""
    return LongAnswerResponse(text=text, knowledge=knowledge, **fields)


def said(position, words, at=0):
    return Wording(position, words, at)


def answer(project, user, now, said=None):
    """Take the next question and submit a long answer; return the assignment."""
    assignment = take(project, user, now)
    assignments.submit_response(
        assignment=assignment, response=said or response(), by=user, now=now
    )
    assignment.refresh_from_db()
    return assignment
