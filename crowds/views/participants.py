"""The pages of participants: the link that lets them in, and the one page they have afterwards."""

import datetime as dt
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from itertools import accumulate
from typing import Any

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.html import strip_tags
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from annotation.access.loaders import UserRequest
from annotation.core.refusals import Denied
from annotation.models import Guideline
from annotation.people.invitation_views import BACKEND
from annotation.text import markdown
from crowds import links, prolific, queries
from crowds.forms.participants import AboutForm, CheckForm, ConsentForm
from crowds.models import Participation, Recruitment
from crowds.platforms import PERSONAL, Arrival
from crowds.policies.participations import (
    LinkEnded,
    LinkUnknown,
    TooMany,
    check_has_room,
    check_is_open,
    is_them,
)
from crowds.services import participations as services
from crowds.services.recruitments import newest_briefing

Status = Participation.Status
STEPS = ("Consent", "About you", "Instructions", "Questions", "Code")
# Long enough to come back for the code on the same day; the link opens the page again later.
SESSION_SECONDS = 24 * 3600
# As many characters of the instructions are open: three minutes to read. Titles to open follow.
LONGEST_OPEN = 3_000
DAMAGED = "This link is incomplete or damaged. Open the study again from where you found it."


# --- arriving -------------------------------------------------------------------------------------


@never_cache
@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def participant_link(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a participant's link: the consent page; for those who came before, their way
    back.
    """
    arriving = None
    try:
        arriving = _LinkVisit(request, token)
        return arriving.respond()
    except Denied as refusal:
        briefing = newest_briefing(arriving.recruitment.project) if arriving else None
        context = {"sentence": str(refusal), "briefing": briefing}
        return render(request, "crowds/over.html", context, status=refusal.status)


class _LinkVisit:
    """One request about a link. Raises Denied with what the person should know."""

    def __init__(self, request: HttpRequest, token: str) -> None:
        self.request, self.now = request, timezone.now()
        try:
            self.link = links.read_link(token)
        except links.BadLink:
            raise LinkUnknown(DAMAGED) from None
        rows = Recruitment.objects.select_related("project").filter(pk=self.link.recruitment)
        recruitment = rows.first()
        if recruitment is None or recruitment.build_link().made != self.link.made:
            raise LinkUnknown(DAMAGED)
        self.recruitment = recruitment
        self.arrival = self._arrival(recruitment)

    def _arrival(self, recruitment: Recruitment) -> Arrival:
        if self.link.external_id:
            return Arrival(self.link.external_id)
        query: Mapping[str, str] = self.request.GET
        if recruitment.signed:
            try:
                query = prolific.signed_parameters(
                    query, host=self.request.get_host(), leeway=self._leeway()
                )
            except prolific.LinkExpired:
                if self._takes_part():
                    return Arrival()  # their session shows who they are
                raise
        arrival = recruitment.source.find_arrival(query)
        if arrival is None or recruitment.platform == PERSONAL:
            name = recruitment.source.name
            raise LinkUnknown(f"This link works only from {name}. Open the study there.")
        return arrival

    def _leeway(self) -> dt.timedelta:
        """Return how old a signature may be: the consent page takes time to read."""
        return prolific.READING if self.request.method == "POST" else prolific.CLOCKS

    def _takes_part(self) -> bool:
        person = self.request.user
        return (
            isinstance(person, User)
            and person.is_participant
            and self.recruitment.participations.filter(user=person).exists()
        )

    def respond(self) -> HttpResponse:
        """Return the page, or let the person in."""
        user = self.request.user
        person = user if isinstance(user, User) else None
        row = services.find_participation(self.recruitment, self.arrival)
        if person and person.is_participant and self._is_theirs(person, row):
            return redirect("participant")
        if row is not None and not is_them(row, self.arrival):
            # Whoever only knows an id sees what a newcomer sees, so that a link does not say who
            # took part. They are refused once they consent (services.start).
            row = None
        if self.link.is_over(self.now):
            return self._ended(row)
        if row is None:
            check_is_open(self.recruitment, self.now)
            check_has_room(self.recruitment)
        blocked = person is not None and not person.is_participant
        if self.request.method != "POST":
            return self._page(ConsentForm() if row is None else None, blocked=blocked)
        if blocked:
            raise Denied(
                f"You are signed in as {person}. To try the study, open the link in a private "
                "window."
            )
        return self._post(row)

    def _is_theirs(self, person: User, row: Participation | None) -> bool:
        if row is not None:
            return row.user_id == person.pk
        return not self.arrival.external_id and self._takes_part()

    def _ended(self, row: Participation | None) -> HttpResponse:
        """Show the code to who has one; nothing else can be done with a link that has ended."""
        if row is None or not row.code:
            raise LinkEnded(
                "This link has ended. Open the study again from where you found it, or write to "
                "the team."
            )
        context = {
            "code": row.code,
            "finish": self.recruitment.source.finish_address(row.code),
            "recruitment": self.recruitment,
            "link": self.link,
        }
        return render(self.request, "crowds/link_over.html", context, status=HTTPStatus.GONE)

    def _post(self, row: Participation | None) -> HttpResponse:
        if self.request.POST.get("press") == "decline" and row is None:
            code = self.recruitment.code_declined
            context = {"code": code, "finish": self.recruitment.source.finish_address(code)}
            return render(self.request, "crowds/declined.html", self._context() | context)
        form = ConsentForm(self.request.POST)
        if row is None and not form.is_valid():
            return self._page(form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        if not ratelimit.consume(self.request, action="take_part"):
            raise TooMany(
                "Too many people have come from this address in a minute. Wait for a minute, then "
                "open the study again."
            )
        row = row or services.start_participation(
            recruitment=self.recruitment, arrival=self.arrival, now=self.now
        )
        login(self.request, row.user, backend=BACKEND)
        self.request.session.set_expiry(SESSION_SECONDS)
        return redirect("participant")

    def _context(self) -> dict[str, Any]:
        return {
            "recruitment": self.recruitment,
            "steps": list_steps(0),
            "address": self.request.get_full_path(),
        }

    def _page(
        self, form: ConsentForm | None, *, blocked: bool = False, status: int = 200
    ) -> HttpResponse:
        """Show the consent page, or to who comes back (no form) the way to their page."""
        briefing = newest_briefing(self.recruitment.project)
        context = self._context() | {
            "form": form,
            "blocked": blocked,
            "briefing": briefing,
            "parts": markdown.render_sections(briefing.consent) if briefing else [],
        }
        return render(self.request, "crowds/consent.html", context, status=status)


def list_steps(current: int) -> list[tuple[str, str]]:
    """Return each step's name and whether it is done, now or later."""
    states = {-1: "done", 0: "now", 1: "later"}
    return [
        (name, states[(place > current) - (place < current)]) for place, name in enumerate(STEPS)
    ]


# --- taking part ----------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def show_participant_page(request: UserRequest) -> HttpResponse:
    """The page of a participant: whatever comes next for them."""
    row = queries.of_user(request.user)
    if row is None:
        raise Http404
    row.user = request.user
    services.end_if_over(participation=row, now=timezone.now())
    list(messages.get_messages(request))  # said here in other words: crowds/_base.html
    if request.method == "POST":
        return _press(request, row)
    return _page(request, row)


def _press(request: UserRequest, row: Participation) -> HttpResponse:
    """Do what a button asks for, then show what comes next."""
    now, press = timezone.now(), request.POST.get("press", "")
    if press == "comment":
        services.save_comment(participation=row, text=request.POST.get("comment", ""), now=now)
    elif row.status != Status.WORKING:
        pass  # a second press of a button: their page says how it has ended
    elif press == "stop":
        return render(request, "crowds/stop.html", _context(row))
    elif press == "stop-surely":
        services.end_participation(participation=row, status=Status.RETURNED, now=now)
    elif press == "about" and row.answered_at is None:
        form = AboutForm(request.POST, asked=row.briefing.asked)
        if not form.is_valid():
            return _page(request, row, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        services.save_answers(participation=row, answers=form.said, now=now)
    elif press in ("begin", "next"):
        return _next(request, row, begins=press == "begin")
    elif press == "check" and _step(row) == "check":
        check = CheckForm(request.POST, asked=row.recruitment.attention[len(row.checks)])
        if not check.is_valid():
            return _page(request, row, check, status=HTTPStatus.UNPROCESSABLE_ENTITY)
        services.answer_check(participation=row, given=check.cleaned_data["check"], now=now)
        return _next(request, row, begins=False)
    return redirect("participant")


def _next(request: UserRequest, row: Participation, *, begins: bool) -> HttpResponse:
    """Go to the next question, if that is what comes next."""
    now = timezone.now()
    if begins:
        services.note_instructions_read(participation=row, now=now)
        row.refresh_from_db(fields=["instructed_at"])
    if _step(row) == "questions":
        assignment = services.take_question(participation=row, now=now)
        if assignment is not None:
            return redirect("work-page", assignment.pk)
    return redirect("participant")


def _step(row: Participation) -> str:
    """Return what comes next for a participant."""
    if row.status != Status.WORKING:
        return "end"
    if row.answered_at is None:
        return "about"
    if row.instructed_at is None:
        return "instructions"
    if row.next_check is not None and row.next_check <= services.list_submitted_work(row).count():
        return "check"
    return "questions"


def _context(row: Participation) -> dict[str, Any]:
    return {"row": row, "recruitment": row.recruitment}


def _page(
    request: UserRequest,
    row: Participation,
    form: AboutForm | CheckForm | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    step = _step(row)
    context = _context(row)
    if step == "about":
        context |= {"steps": list_steps(1), "form": form or AboutForm(asked=row.briefing.asked)}
    elif step == "instructions":
        guideline = Guideline.newest_of(row.recruitment.project_id)
        parts = markdown.render_sections(guideline.body) if guideline else []
        context |= {"steps": list_steps(2), "parts": parts, "opened": _opened(parts)}
    elif step == "check":
        asked = row.recruitment.attention[len(row.checks)]
        context |= {"steps": list_steps(3), "form": form or CheckForm(asked=asked)}
    elif step == "questions":
        context |= {"steps": list_steps(3), "place": queries.place_of(row)}
    else:
        context |= {
            "steps": list_steps(5) if row.code else [],
            "code": row.code,
            "finish": row.recruitment.source.finish_address(row.code),
        }
    return render(request, f"crowds/{step}.html", context, status=status)


def _opened(parts: Sequence[tuple[str, str]]) -> int:
    """Return how many sections of the instructions are open: the first, and short ones after it."""
    lengths = accumulate(len(strip_tags(html)) for _, html in parts)
    return max(1, sum(length <= LONGEST_OPEN for length in lengths))


@never_cache
@require_safe
def participant_consent(request: UserRequest) -> HttpResponse:
    """What a participant has agreed to, to read again."""
    row = queries.of_user(request.user)
    if row is None:
        raise Http404
    parts = markdown.render_sections(row.briefing.consent)
    context = _context(row) | {"parts": parts, "briefing": row.briefing}
    return render(request, "crowds/agreed.html", context)


def taking_part(row: Participation | None) -> queries.ParticipantProgress | None:
    """Return how far a participant at work is, for the bar of every page."""
    working = row is not None and row.status == Status.WORKING and row.instructed_at is not None
    return queries.place_of(row) if row is not None and working else None
