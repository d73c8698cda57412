"""A browser without scripts: it posts what is on the form of a page, and nothing else."""

import re
from html import unescape
from html.parser import HTMLParser

from django.test import Client
from django.urls import reverse

from annotation.models import Assignment

HX = {"HX-Request": "true"}


class _Form(HTMLParser):
    """Collects what a browser would post of the form with the id "answer"."""

    def __init__(self):
        super().__init__()
        self.fields, self.area, self.inside, self.buttons = [], None, False, []

    def handle_starttag(self, tag, attrs):
        at = dict(attrs)
        if tag == "form":
            self.inside = at.get("id") == "answer"
        ours = self.inside or at.get("form") == "answer"
        name = at.get("name")
        if tag == "button" and ours and name == "action":
            self.buttons.append(at["value"])
        if not ours or not name:
            return
        if tag == "textarea":
            self.area = [name, ""]
        elif tag == "input" and ("checked" in at or at.get("type") not in ("radio", "checkbox")):
            self.fields.append((name, at.get("value") or ""))

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False
        if tag == "textarea" and self.area:
            name, text = self.area
            self.fields.append((name, text.removeprefix("\n")))
            self.area = None

    def handle_data(self, data):
        if self.area:
            self.area[1] += data


def fields_of(html):
    """Return the form's fields as {name: [values]}, as a browser without scripts sends them."""
    form = _Form()
    # A <template> is nothing that a browser posts.
    form.feed(re.sub(r"<template.*?</template>", "", html, flags=re.S))
    found = {}
    for name, value in form.fields:
        found.setdefault(name, []).append(value)
    return found


def buttons_of(html):
    """Return the presses that the form's buttons send."""
    form = _Form()
    form.feed(html)
    return form.buttons


def words_of(html):
    """Return what a page says and what stands in its boxes, in one line without marks."""
    values = " ".join(re.findall(r'\bvalue="([^"]*)"', html))
    text = re.sub(r"<[^>]+>", "", re.sub(r"<(script|style).*?</\1>", "", html, flags=re.S))
    return re.sub(r"\s+", " ", unescape(f"{text} {values}"))


class Window:
    """One person's window on one stage of a project; `html` and `fields` are of the last page."""

    def __init__(self, user, project, stage):
        self.user, self.project, self.stage = user, project, stage
        self.client = Client()
        self.client.force_login(user)
        self.assignment = self.html = self._fields = None

    def take(self):
        """Take the next question and look at its page."""
        return self.take_unseen().open()

    def take_unseen(self):
        """Take the next question; its page is not opened."""
        address = reverse("work-next", args=[self.project.slug, self.stage])
        answer = self.client.post(address)
        found = re.fullmatch(r"/work/(\d+)/", answer["Location"])
        assert found, f"no question of {self.stage} is ready for {self.user}: {answer['Location']}"
        self.assignment = Assignment.objects.get(pk=found[1])
        return self

    def open(self):
        """Look at the page of the question in hand."""
        answer = self.client.get(self.url("page"))
        assert answer.status_code == 200
        self.html, self._fields = answer.text, None
        return self

    @property
    def fields(self):
        """The fields of the form, or what the test put in their place."""
        if self._fields is None:
            self._fields = fields_of(self.html)
        return self._fields

    @fields.setter
    def fields(self, fields):
        self._fields = fields

    def url(self, name):
        return reverse(f"work-{name}", args=[self.assignment.pk])

    def post(self, name, fields=None, **options):
        """Post fields, those of the form unless others are given."""
        return self.client.post(
            self.url(name), self.fields if fields is None else fields, **options
        )

    def row(self):
        """Return the assignment as it is in the database now."""
        return Assignment.objects.select_related("task__question").get(pk=self.assignment.pk)

    @property
    def words(self):
        return words_of(self.html)
