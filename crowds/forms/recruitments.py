"""The forms of the team that recruits participants."""

import datetime as dt
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone

from accounts.fields import OneLineField
from annotation.models import Project
from annotation.pages.forms import AmbitForm, build_date_field
from annotation.pay.services import CENT, MOST
from crowds import platforms
from crowds.models import Recruitment
from crowds.questions import LONGEST_TEXT, SCREEN_OUT, BadQuestions, read_checks, read_questions
from crowds.services.recruitments import stages_for
from crowds.services.reviews import LONGEST_REASON

LONGEST_CONSENT = 50_000
CODE = r"[A-Za-z0-9-]{1,40}"


def _lines(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "class": "input tall" if rows > 2 else "input"})


class BriefingForm(AmbitForm):
    """Consent page and form about participants."""

    institution = OneLineField(
        label="Institution",
        max_length=200,
        help_text="Who runs the study, such as the university and department. Participants read it "
        "at the top of the consent page.",
    )
    contact = OneLineField(
        label="Contact person",
        max_length=200,
        help_text="A name and an e-mail address that participants can write to.",
    )
    consent = forms.CharField(
        label="Consent page",
        max_length=LONGEST_CONSENT,
        widget=_lines(14),
        help_text="In Markdown: what people will do, what you keep, until when and how they can "
        "withdraw, and which board approved the study, with its number.",
    )
    form = forms.CharField(
        label="Questions about the participant",
        required=False,
        max_length=LONGEST_TEXT,
        strip=True,
        widget=_lines(12),
        help_text="A question on a line, its options below it, each after “- ”, and a blank line "
        "before the next. Without options people write a line. “I’d rather not say” is added. "
        "An option that ends with “(screen out)” ends the participation.",
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def clean_form(self) -> str:
        """Refuse a text that cannot be read, with its line."""
        text: str = self.cleaned_data["form"].replace("\r\n", "\n")
        try:
            read_questions(text, mark=SCREEN_OUT)
        except BadQuestions as error:
            raise forms.ValidationError(str(error)) from None
        return text

    def clean_consent(self) -> str:
        """Return the text with plain ends of lines."""
        text: str = self.cleaned_data["consent"].replace("\r\n", "\n")
        return text


class RecruitmentForm(AmbitForm):
    """Places for participants and their terms."""

    title = OneLineField(label="Name", max_length=120, help_text="Participants see it, too.")
    platform = forms.ChoiceField(label="People come from", choices=platforms.CHOICES)
    study = forms.RegexField(
        r"^[A-Za-z0-9._-]*$",
        label="The platform’s id of the study",
        max_length=64,
        required=False,
        help_text="Prolific’s STUDY_ID: people sent from another study are then refused.",
    )
    signed = forms.BooleanField(
        label="Only links that Prolific has signed",
        required=False,
        help_text="Switch on “Secure external URL” in the study there, too.",
    )
    stage = forms.ChoiceField(label="Work", choices=())
    questions = forms.IntegerField(
        label="Questions for each participant", min_value=1, max_value=500, initial=10
    )
    places = forms.IntegerField(label="Places", min_value=1, max_value=100_000, initial=20)
    about_minutes = forms.IntegerField(
        label="About how long it takes (minutes)", min_value=1, max_value=10_080, initial=15
    )
    minutes = forms.IntegerField(
        label="Maximum time (minutes)",
        min_value=1,
        max_value=10_080,
        initial=60,
        help_text="From consent. Then the place is free again, as on the platform.",
    )
    reward = forms.DecimalField(
        min_value=0, max_value=MOST, max_digits=7, decimal_places=2, initial=0
    )
    reward_screened_out = forms.DecimalField(
        label="Reward if screened out",
        min_value=0,
        max_value=MOST,
        max_digits=7,
        decimal_places=2,
        initial=0,
    )
    currency = forms.RegexField(r"^[A-Z]{3}$", max_length=3, initial="USD")
    code = forms.RegexField(
        f"^{CODE}$",
        label="Completion code",
        max_length=40,
        required=False,
        help_text="As on the platform. With personal links each participant gets one of their own.",
    )
    code_screened_out = forms.RegexField(
        f"^{CODE}$", label="Code if screened out", max_length=40, required=False
    )
    code_failed = forms.RegexField(
        f"^{CODE}$",
        label="Code if a check was wrong",
        max_length=40,
        required=False,
        help_text="Sorts these people on the platform. Empty: the completion code.",
    )
    code_declined = forms.RegexField(
        f"^{CODE}$",
        label="Code without consent",
        max_length=40,
        required=False,
        help_text="Shown to people who decline.",
    )
    checks = forms.CharField(
        label="Attention checks",
        required=False,
        max_length=LONGEST_TEXT,
        widget=_lines(6),
        help_text="Written as the questions about participants; the right option ends with "
        "“(right)”. They come between questions, evenly spread.",
    )
    fast_seconds = forms.IntegerField(
        label="Flag people faster than (seconds a question)",
        min_value=0,
        max_value=3_600,
        initial=0,
        help_text="The median of their active time. 0 flags no one.",
    )
    skip_limit = forms.IntegerField(
        label="Questions that may be skipped (%)",
        min_value=0,
        max_value=100,
        initial=33,
        help_text="Of those a participant is given, released ones included, counted over three or "
        "more. People are asked before they go beyond it; then they get no completion code, and "
        "you decide. 100 sets no limit.",
    )
    last_day = build_date_field(label="Last day", help_text="No one can begin after it.")

    def __init__(
        self,
        *args: Any,
        project: Project,
        recruitment: Recruitment | None = None,
        **kwargs: Any,
    ) -> None:
        self.project = project
        if recruitment is not None:
            kwargs["initial"] = {
                name: getattr(recruitment, name) for name in self.base_fields if name != "last_day"
            }
            last = timezone.localtime(recruitment.ends_at) - dt.timedelta(seconds=1)
            kwargs["initial"]["last_day"] = last.date()
            kwargs["initial"]["skip_limit"] = int(recruitment.skip_limit * 100)
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the stages that participants can do."""
        self.fields["stage"] = forms.ChoiceField(label="Work", choices=stages_for(self.project))
        if not settings.PROLIFIC_KEYS_URL:
            self.fields["signed"].disabled = True
            self.fields[
                "signed"
            ].help_text = "Not checked here: whoever runs Ambit has to set PROLIFIC_KEYS_URL first."

    def clean_checks(self) -> str:
        """Refuse checks that cannot be read, with their line."""
        text: str = self.cleaned_data["checks"].replace("\r\n", "\n")
        try:
            read_checks(text)
        except BadQuestions as error:
            raise forms.ValidationError(str(error)) from None
        return text

    def clean(self) -> dict[str, Any]:
        """Check what concerns several fields."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        platform = platforms.PLATFORMS.get(values.get("platform", ""))
        if values.get("signed") and platform and platform.key != platforms.PROLIFIC:
            self.add_error("signed", "Only Prolific signs its links.")
        if platform and platform.fixed_codes and "code" in values and not values["code"]:
            self.add_error("code", f"Write the code that {platform.name} expects at the end.")
        if platform and not platform.fixed_codes:
            for name in ("code", "code_screened_out", "code_failed", "code_declined"):
                if values.get(name) or name in self.errors:
                    self.add_error(name, "Leave it empty: everyone gets their own.")
        number, asked = values.get("questions"), values.get("checks")
        if number and asked and len(read_checks(asked)) >= number:
            self.add_error("checks", "There must be fewer checks than questions.")
        if values.get("about_minutes", 0) > values.get("minutes", 10**6):
            self.add_error("minutes", "This is less than the time it takes.")
        return values

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the recruitment; only of a valid form."""
        values = dict(self.cleaned_data)
        values["skip_limit"] = Decimal(values["skip_limit"]) / 100
        following = values.pop("last_day") + dt.timedelta(days=1)
        midnight = dt.datetime.combine(following, dt.time())
        return values | {"ends_at": timezone.make_aware(midnight)}


class LinksForm(AmbitForm):
    """Ids to make personal links for."""

    ids = forms.CharField(
        label="Ids, one on each line", widget=_lines(6), max_length=1_000_000,
        error_messages={"required": "Give at least one id."},
    )  # fmt: skip
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=365, initial=14)

    def clean_ids(self) -> list[str]:
        """Return the ids."""
        lines = self.cleaned_data["ids"].splitlines()
        return [line.strip() for line in lines if line.strip()]


class RejectForm(AmbitForm):
    """Why someone is rejected."""

    reason = forms.CharField(max_length=LONGEST_REASON, widget=_lines(2))
    leave_out = forms.BooleanField(label="Exclude their answers from the data, too", required=False)


class BonusForm(AmbitForm):
    """An amount and why. `key` makes two clicks one bonus."""

    amount = forms.DecimalField(
        max_digits=7,
        decimal_places=2,
        min_value=CENT,
        max_value=MOST,
    )
    reason = forms.CharField(max_length=LONGEST_REASON, widget=_lines(2))
    key = forms.UUIDField(widget=forms.HiddenInput)


class StatusesForm(AmbitForm):
    """The platform's file."""

    file = forms.FileField(
        label="Export of submissions (CSV)",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
    )
