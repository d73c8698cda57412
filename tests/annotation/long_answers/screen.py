"""The page of a long answer as tests call it: addresses, the fields of its form, what it says."""

import re

from django.urls import reverse

from annotation.models import Assignment
from tests.annotation.long_answers import helpers

HX = {"HX-Request": "true"}
WITHOUT_TRAINS = helpers.TEXT.replace("7 December 1869", "the seventh of December 1869")


def url(name, assignment):
    return reverse(f"work-{name}", args=[assignment.pk])


def form(assignment=None, **changes):
    """The fields of the form of a long answer that no rule asks about."""
    fields = {
        "version": assignment.draft_version if assignment else 0,
        "long_answer": helpers.TEXT,
        "piece-0-content": helpers.KNOWLEDGE[0].content,
        "piece-0-page": helpers.KNOWLEDGE[0].page,
        "piece-0-quote": "",
        "feedback": "",
    }
    return fields | {name.replace("__", "-"): value for name, value in changes.items()}


def reload(assignment):
    return Assignment.objects.get(pk=assignment.pk)


def words_of(answer):
    """What a page or a reply says, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text))


def part(answer, name):
    """The part of a page or a reply with this id, from its tag to the next id."""
    found = re.search(rf'<\w+[^>]* id="{name}"(.*?)(?=<li|<section|</ul>|\Z)', answer.text, re.S)
    assert found, f"no part {name}"
    return re.sub(r"\s+", " ", found[0])


def draft(web, work, fragment=True, **changes):
    return web.post(url("draft", work), form(work, **changes), headers=HX if fragment else {})
