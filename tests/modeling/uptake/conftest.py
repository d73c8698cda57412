"""Questions with suggestions of one system, and people who submitted what they did with them."""

import datetime as dt

import pytest

from annotation.models import Annotation, StagePolicy, Suggestion, SuggestionUse
from annotation.suggestions.values import held_out
from tests import factories

SYSTEM = "Reader 8B"
SHARE = 50  # per cent of the questions that show no suggestions


@pytest.fixture
def policy(project):
    policy = StagePolicy.objects.get(project=project, stage="generation", split="dev")
    policy.suggestions, policy.suggestions_held_out, policy.people = SYSTEM, SHARE, 5
    policy.save()
    return policy


@pytest.fixture
def questions(project, policy):
    """Return `many` questions that show suggestions, or that are held out."""
    made = {True: [], False: []}

    def questions(many, *, out=False):
        while len(made[out]) < many:
            row = factories.make_question(project)
            made[held_out(row.pk, SHARE)].append(row)
        rows, made[out] = made[out][:many], made[out][many:]
        return rows

    return questions


@pytest.fixture
def submit(project, policy, now):
    """Submit an answer to a question after `seconds`, with a fate for each of its suggestions.

    fates: of version 1, in order; answers: each a tuple of forms.
    """

    def submit(question, user, *fates, seconds=60, answers=(), begun=0, version="1", **fields):
        task = question.tasks.first() or factories.make_task(project, question)
        started = now + dt.timedelta(seconds=begun)
        row = factories.make_assignment(
            task, user, "submitted", active_seconds=seconds, started_at=started, **fields
        )
        for position in range(len(fates)):
            suggestion, _ = Suggestion.objects.get_or_create(
                question=question,
                system=SYSTEM,
                version=version,
                position=position,
                defaults={
                    "kind": "answer",
                    "content": {"answers": ["1843"]},
                    "created_at": now - dt.timedelta(hours=1),
                },
            )
            fate = fates[position]
            if fate is not None:
                SuggestionUse.objects.create(
                    assignment=row,
                    suggestion=suggestion,
                    fate=fate,
                    shown_at=now,
                    decided_at=now if fate else None,
                )
        annotation = Annotation.objects.create(
            assignment=row, question=question, author=user, kind="multiple", created_at=now
        )
        for place, forms in enumerate(answers):
            pair = annotation.pairs.create(position=place, question="When?")
            for number, text in enumerate(forms):
                pair.answers.create(position=number, text=text)
        return row

    return submit
