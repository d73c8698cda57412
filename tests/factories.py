"""Plain functions that make rows. Every argument has a sensible default."""

import datetime as dt
import hashlib
import itertools

from django.utils import timezone

from accounts.models import User
from annotation.models import (
    Annotation,
    Assignment,
    Event,
    Guideline,
    Membership,
    Project,
    Question,
    StagePolicy,
    Task,
    Thread,
)
from annotation.sheets.parts import QuoteShown
from annotation.stages import registry as stages
from wikipedia.articles import stored_articles
from wikipedia.articles.services import record_shown_page
from wikipedia.html.page import SourcePage
from wikipedia.models import Quote, ShownPage, Snapshot

PASSWORD = "correct horse battery"
_count = itertools.count(1)


def make_user(name="Uma Unger", email=None, **fields):
    email = email or f"{name.split()[0].lower()}{next(_count)}@example.org"
    return User.objects.create_user(email, PASSWORD, name=name, **fields)


def make_snapshot(name=None, **fields):
    defaults = {
        "title": "English Wikipedia, 2 January 2024",
        "kind": "zim",
        "archive": "missing.zim",
        "state": "ready",
        "as_of": dt.date(2024, 1, 2),
        "address": "https://en.wikipedia.org/wiki/",
        "created_at": timezone.now(),
    }
    return Snapshot.objects.create(name=name or f"snapshot-{next(_count)}", **defaults | fields)


def make_project(slug=None, snapshot=None, policies=True, **fields):
    slug = slug or f"pilot-{next(_count)}"
    defaults = {
        "title": "Crossings pilot",
        "protocol": "ambigqa",
        "reference_date": dt.date(2017, 12, 31),
        "created_at": timezone.now(),
    }
    project = Project.objects.create(
        slug=slug, snapshot=snapshot or make_snapshot(), **defaults | fields
    )
    Guideline.objects.create(
        project=project, version=1, body="## Overview\n\nRead first.", created_at=timezone.now()
    )
    if policies:
        for split, people in (("train", 1), ("dev", 2), ("test", 2)):
            StagePolicy.objects.create(
                project=project, stage="generation", split=split, people=people
            )
    return project


def make_member(project, *roles, user=None, **fields):
    user = user or make_user(**fields)
    for role in roles:
        Membership.objects.create(user=user, project=project, role=role, created_at=timezone.now())
    return user


def make_question(project, text="when did the thames tunnel open", split="dev", **fields):
    defaults = {"external_id": f"q{next(_count)}", "created_at": timezone.now()}
    return Question.objects.create(project=project, text=text, split=split, **defaults | fields)


def make_task(project, question=None, split="dev", stage="generation", seats=None, **fields):
    question = question or make_question(project, split=split)
    policy = StagePolicy.objects.get(project=project, stage=stage, split=question.split)
    return Task.objects.create(
        policy=policy,
        question=question,
        seats=policy.people if seats is None else seats,
        position=fields.pop("position", question.pk),
        created_at=timezone.now(),
        **fields,
    )


def make_proof(project, user, exact="25 March 1843", **fields):
    """Return a quote that proves a submitted answer of somebody; `fields` are of its page."""
    now = timezone.now()
    question = make_question(project)
    ended = {"submitted_at": now, "ended_at": now, "lease_ends_at": None}
    turn = make_assignment(make_task(project, question), user, state="submitted", **ended)
    text = f"The tunnel opened on {exact}. It closed in 1995."
    page = fields.pop("page", None) or ShownPage.objects.create(
        **{
            "snapshot": project.snapshot,
            "path": "Thames_Tunnel",
            "title": "Thames Tunnel",
            "retrieved_at": now,
            "text": text,
            "text_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        | fields
    )
    start = page.text.index(exact)
    quote = Quote.objects.create(
        page=page,
        block_kind="paragraph",
        exact=exact,
        start=start,
        end=start + len(exact),
        made_by="selection",
        created_by=user,
        created_at=now,
    )
    annotation = Annotation.objects.create(
        assignment=turn, question=question, author=user, kind="single", created_at=now
    )
    pair = annotation.pairs.create(position=0)
    pair.answers.create(position=0, text=exact, quote=quote)
    return quote


def make_own_quote(assignment, exact="25 March 1843"):
    """Return a quote that somebody made in their work, from a page that is kept."""
    kept = ShownPage.objects.filter(
        snapshot=assignment.project.snapshot, path="Thames_Tunnel", text__contains=exact
    ).first()
    quote = make_proof(assignment.project, make_user(), exact, page=kept)
    Event.objects.create(
        assignment=assignment,
        kind="quote",
        at=timezone.now(),
        data={"quote": quote.pk, "target": ""},
    )
    return quote


def make_assignment(task, user, state="active", **fields):
    now = timezone.now()
    held = state in ("active", "parked")
    defaults = {
        "project": task.policy.project,
        "policy": task.policy,
        "stage": task.policy.stage,
        "position": task.position,
        "state": state,
        "started_at": now,
        "seen_at": now,
        "lease_ends_at": now + dt.timedelta(hours=2) if held else None,
        "ended_at": None if held else now,
        "submitted_at": now if state == "submitted" else None,
        "skip_reason": "subjective" if state == "skipped" else "",
    }
    if held or state == "submitted":
        Task.objects.filter(pk=task.pk).update(seats=task.seats - 1)
        task.refresh_from_db()
    return Assignment.objects.create(task=task, user=user, **defaults | fields)


ARTICLE = (
    "<p>The <b>Thames Tunnel</b> runs under the "
    '<a href="/wiki/River_Thames">River Thames</a>.</p>'
    "<h2>Opening</h2><p>It opened on 25 March 1843.</p>"
)


def make_feedback(assignment, by, text="", tag="", now=None):
    """Feedback of the team on a turn, which its author has not read."""
    now = now or timezone.now()
    closed = {"state": "closed", "waiting_since": now, "closed_at": now}
    thread, _ = Thread.every.get_or_create(
        assignment=assignment,
        kind="feedback",
        defaults={"project_id": assignment.project_id, **closed},
    )
    return thread.messages.create(
        by_staff=True, author=by, receiver=assignment.user, text=text, tag=tag, created_at=now
    )


def make_shown(snapshot, title="Thames Tunnel", html=ARTICLE, **fields):
    """A page kept as it was shown, of raw HTML."""
    path = title.replace(" ", "_")
    defaults = {
        "redirect_from": None,
        "page_id": 12,
        "rev_id": 345,
        "rev_timestamp": dt.datetime(2017, 6, 15, 12, tzinfo=dt.UTC),
        "retrieved_at": timezone.now(),
        "url": f"https://en.wikipedia.org/wiki/{path}?oldid=345",
        "hosts": ("en.wikipedia.org",),
    }
    page = SourcePage(path=path, title=title, html=html, **defaults | fields)
    kept = record_shown_page(snapshot=snapshot, page=page, article=stored_articles.article_of(page))
    return ShownPage.objects.get(pk=kept.pk)


def make_visit(assignment, via="search", rank=1, shown_page=None, **data):
    """A page opened in somebody's turn, kept as it was shown."""
    kept = shown_page or make_shown(assignment.project.snapshot)
    said = {
        "title": kept.title,
        "path": kept.path,
        "via": via,
        "search_event": None,
        "rank": rank,
        "from_open": None,
        "anchor": "",
        "redirect_from": None,
        "shown": kept.pk,
        "rev_id": kept.rev_id,
        "text_sha256": kept.text_sha256,
        "html_sha256": kept.html_sha256,
        "stored": False,
    }
    return Event.objects.create(
        assignment=assignment, kind="page_open", at=timezone.now(), data=said | data
    )


def given_for(assignment, now=None):
    """What a stage's rules and page may know of a turn."""
    return stages.get_stage(assignment.stage).build_sheet_context(
        assignment, now=now or timezone.now()
    )


def report_on(assignment, response, now=None):
    """What the rules of a turn's stage say of a response."""
    sheet = stages.get_stage(assignment.stage).sheet
    return sheet.check_response(response, given_for(assignment, now))


def own_quotes(*ids):
    """A person's own quotes, as rules are given them."""
    own = {pk: QuoteShown(pk, "words", "Thames Tunnel", "/") for pk in ids}
    return lambda named: {pk: own[pk] for pk in named if pk in own}


def opened(turn):
    """A validation as its page opens it, and what the generators said."""
    given = given_for(turn)
    return given.stored, given.said
