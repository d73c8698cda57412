"""Forms of the project pages."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.db.models import Q

from accounts.fields import OneLineField
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.qualifications import Qualification
from annotation.core.models.questions import Question, Split
from annotation.golds.queries import count_unsuggested_copies
from annotation.imports.opening import CLOSED, CLOSED_LABEL
from annotation.pages.forms import AmbitForm, build_date_field
from annotation.people.queries import list_people
from annotation.progress.queries import ASIDE
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.questions import queries as questions_queries
from annotation.sheets.report import Rules
from annotation.sheets.rules import Setting
from annotation.stages import registry as stages
from annotation.suggestions.queries import systems_of
from wikipedia.models import Snapshot

GUIDELINES_LIMIT = 100_000

_AmountField = partial(forms.DecimalField, min_value=0, max_digits=8, decimal_places=2)


def suggest_slug(title: str) -> str:
    """Return a short name for a project of this name; "" where no letter of it fits.

    The same as `names.js` writes while somebody types.
    """
    letters = unicodedata.normalize("NFKD", title).lower()
    letters = "".join(each for each in letters if not unicodedata.combining(each))
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:60]


class DuplicateForm(AmbitForm):
    """The name and short name of a project."""

    title = OneLineField(
        max_length=120,
        label="Name",
        help_text="Shown to everyone.",
        widget=forms.TextInput(attrs={"data-names": "id_slug"}),
    )
    slug = forms.SlugField(
        max_length=60,
        label="Short name",
        required=False,
        help_text="For addresses and commands: letters, digits, hyphens and underscores. Left "
        "empty, it is made from the name.",
        error_messages={
            "invalid": "Use letters from a to z, digits, hyphens and underscores only."
        },
        widget=forms.TextInput(attrs={"data-previewed": ""}),
    )

    def clean(self) -> None:
        """Make a short name from the name where nobody wrote one."""
        title = self.cleaned_data.get("title")
        if not title or self.cleaned_data.get("slug") != "":
            return
        self.cleaned_data["slug"] = suggest_slug(title)
        if not self.cleaned_data["slug"]:
            self.add_error(
                "slug", "The name has no letter from a to z and no digit. Write a short name."
            )


class ProjectForm(DuplicateForm):
    """A new project."""

    protocol = forms.ChoiceField()
    snapshot = forms.ModelChoiceField(
        queryset=Snapshot.objects.none(),
        label="Wikipedia snapshot",
        empty_label=None,
        help_text="Fixed for the life of the project. Add more with manage.py index_wikipedia.",
    )
    reference_date = build_date_field(
        label="Questions as of",
        required=False,
        help_text="People answer as if it were this day. Default: 31 December 2017, or the wiki’s "
        "date if it is live.",
    )

    def add_fields(self) -> None:
        """Offer the protocols and the snapshots that are ready."""
        protocol, options = self.fields["protocol"], protocols.list_protocols()
        assert isinstance(protocol, forms.ChoiceField)
        protocol.choices = [(option.key, option.label) for option in options]
        about = " ".join(f"{option.label}: {option.about}" for option in options)
        protocol.help_text = f"{about} Fixed for the life of the project."
        snapshot = self.fields["snapshot"]
        assert isinstance(snapshot, forms.ModelChoiceField)
        snapshot.queryset = Snapshot.objects.filter(state=Snapshot.State.READY).order_by("title")


class SettingsForm(AmbitForm):
    """The settings that a running project may change."""

    title = OneLineField(max_length=120, label="Name")
    reference_date = build_date_field(
        label="Questions as of",
        help_text="People answer as if it were this day, and rules about dates count from it.",
    )
    parked_limit = forms.IntegerField(
        min_value=0, max_value=50, label="Maximum parked questions per person"
    )
    skips_before_pause = forms.IntegerField(
        min_value=2,
        max_value=100,
        label="Skips in a row before a pause",
        help_text="After this many, the person gets no new work until staff resume it.",
    )
    weekly_minimum = forms.IntegerField(
        min_value=0,
        max_value=2000,
        label="Minimum of tasks per person and week",
        help_text="People read it before they begin, and Monitoring names who is below. No one is "
        "put out. 0 asks for none.",
    )
    claim_days = forms.IntegerField(
        min_value=0,
        max_value=365,
        label="Days to dispute a result",
        help_text="Days after a decision in which it can be disputed. 0 disables disputes.",
    )
    pay_floor = forms.DecimalField(
        required=False,
        min_value=Decimal("0.01"),
        max_digits=8,
        decimal_places=2,
        label="Minimum hourly pay",
        help_text="People who earned less per active hour in the last 30 days are flagged under "
        "Pay. Leave empty to flag no one.",
    )
    pay_floor_currency = forms.RegexField(
        r"^[A-Z]{3}$",
        max_length=3,
        required=False,
        label="Currency",
        help_text="Three-letter code, USD by default. Pay in other currencies is not compared.",
    )

    def __init__(self, *args: Any, protocol: str, **kwargs: Any) -> None:
        self.protocol = protocol
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Leave out the settings of claims where the protocol has none."""
        if not protocols.get_protocol(self.protocol).has_feature(Feature.DISPUTES):
            del self.fields["claim_days"]

    def clean_pay_floor_currency(self) -> str:
        """Use the currency of a new project if none is given."""
        return self.cleaned_data["pay_floor_currency"] or "USD"


class PolicyForm(AmbitForm):
    """One stage on one split. `{counted}` in a text is what one task of the stage is about."""

    people = forms.IntegerField(
        min_value=1,
        max_value=stages.PEOPLE_MAX,
        label="People per {counted}",
        help_text="Applies to new tasks and free seats. No one loses work they have.",
    )
    lease_minutes = forms.IntegerField(
        min_value=1,
        max_value=7 * 24 * 60,
        label="Lease (minutes)",
        help_text="How long each {counted} stays with a person who is not working on it.",
    )
    park_hours = forms.IntegerField(
        min_value=1, max_value=30 * 24, label="Parked questions are kept for (hours)"
    )
    minimum_seconds = forms.IntegerField(
        min_value=0,
        max_value=3600,
        label="Minimum time (seconds)",
    )
    pay_basis = forms.ChoiceField(
        choices=StagePolicy.PayBasis.choices,
        label="Pay basis",
        help_text="By the hour, active time counts, for each {counted} up to its lease.",
    )
    pay = _AmountField(
        label="Pay",
        help_text="For each {counted} or active hour. Applies to submissions from now on.",
    )
    pay_accepted = _AmountField(
        label="Bonus if accepted",
        initial=0,
        help_text="For each {counted}. Withdrawn if the acceptance is reversed.",
    )
    pay_pair = _AmountField(
        label="Bonus for each accepted pair",
        help_text="Once the {counted} is decided; one answer counts as one pair. People see while "
        "they write what they can get.",
    )
    pay_pairs_max = forms.IntegerField(
        min_value=1, max_value=50, label="Maximum of paid pairs per {counted}"
    )
    pay_match = _AmountField(
        label="Bonus when an expert’s audit finds the same answers",
        help_text="For each {counted} drawn for an audit. Without audits, which you draw under "
        "Quality, nobody gets it. Withdrawn if the answers no longer match.",
    )
    currency = forms.RegexField(
        r"^[A-Z]{3}$", max_length=3, help_text="Three-letter code, such as USD."
    )
    inputs = forms.ChoiceField(
        choices=StagePolicy.Inputs.choices,
        label="Writers are given",
        help_text="With “Only the question” they find the disambiguations themselves. Questions "
        "already handed out do not change.",
    )
    suggestions = forms.ChoiceField(
        required=False,
        help_text="Shown after a person has begun on their own, and marked as written by a model. "
        "Suggestions can anchor people, so data for evaluation is best written without.",
    )
    suggestions_held_out = forms.IntegerField(
        min_value=0,
        max_value=100,
        label="Questions without suggestions (%)",
        help_text="Always the same questions, to compare answers with and without suggestions.",
    )
    qualification = forms.ModelChoiceField(
        queryset=Qualification.objects.none(),
        required=False,
        empty_label="None",
        label="Required qualification",
        help_text="People who have not passed it get no new work here. They keep what they have.",
    )

    def __init__(self, *args: Any, policy: StagePolicy, **kwargs: Any) -> None:
        self.policy, self.project, self.stage = (
            policy,
            policy.project,
            stages.get_stage(policy.stage),
        )
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the fields the stage uses, the open qualifications, and the one required now."""
        if protocols.protocol_of(self.project).has_feature(Feature.INPUTS) and self.stage.first:
            self.fields["lease_minutes"].help_text = "Each writer can extend it."
        else:
            del self.fields["inputs"]
        self._fit_stage()
        self._offer_systems()
        chosen = self.initial.get("qualification")
        if not protocols.protocol_of(self.project).exams and not chosen:
            del self.fields["qualification"]
            return
        field = self.fields["qualification"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = Qualification.objects.filter(
            Q(state=Qualification.State.OPEN) | Q(pk=chosen.pk if chosen else None),
            project=self.project,
        )

    def _fit_stage(self) -> None:
        """Leave out what the stage does not heed, and speak of what its tasks are about."""
        self.fields["minimum_seconds"].help_text = self.stage.minimum
        if not self.stage.minimum:
            del self.fields["minimum_seconds"]
        if self.stage.people_max == 1:
            del self.fields["people"]
        if not self.stage.pays_pairs:
            del self.fields["pay_pair"], self.fields["pay_pairs_max"]
        if not self.stage.pays_matches:
            del self.fields["pay_match"]
        counted = self.stage.counted
        basis = self.fields["pay_basis"]
        assert isinstance(basis, forms.ChoiceField)
        basis.choices = [
            (StagePolicy.PayBasis.UNIT, f"For each {counted} submitted"),
            (StagePolicy.PayBasis.HOUR, StagePolicy.PayBasis.HOUR.label),
        ]
        for field in self.fields.values():
            field.label = field.label and str(field.label).replace("{counted}", counted)
            field.help_text = str(field.help_text).replace("{counted}", counted)

    def _offer_systems(self) -> None:
        """Offer the systems with suggestions for the split, or say how to get some."""
        kinds, chosen = self.stage.suggested, self.policy.suggestions
        if not kinds and not chosen:
            del self.fields["suggestions"], self.fields["suggestions_held_out"]
            return
        field = self.fields["suggestions"]
        assert isinstance(field, forms.ChoiceField)
        if self.policy.split not in self.stage.suggested_on:
            field.choices, field.disabled = [("", "None")], True
            field.help_text = self.stage.no_suggestions
            del self.fields["suggestions_held_out"]
            return
        systems = systems_of(self.project, self.policy.split, kinds)
        if chosen and chosen not in systems:
            systems.append(chosen)
        if systems:
            field.choices = [("", "None"), *((system, system) for system in systems)]
            if chosen and (missing := count_unsuggested_copies(self.policy, chosen)):
                field.help_text = (
                    f"Nobody sees any now: {chosen} has to be run again, since it has none for "
                    f"{missing:,} answers or gold items on {self.policy.split}. {field.help_text}"
                )
            return
        field.choices, field.disabled = [("", "None yet")], True
        field.help_text = (
            f"None are stored for questions on {self.policy.split} yet. Choose “Suggest answers” "
            "on the page “Suggestions”; what has been suggested can then be chosen here."
        )
        del self.fields["suggestions_held_out"]


class GuidelinesForm(AmbitForm):
    """A new version of the guidelines."""

    body = forms.CharField(
        max_length=GUIDELINES_LIMIT,
        label="Guidelines in Markdown",
        help_text="Each “## Heading” becomes a tab next to the question.",
        widget=forms.Textarea(attrs={"rows": 20, "spellcheck": "true"}),
    )


class StateForm(forms.Form):
    """Running, paused, closed or archived."""

    state = forms.ChoiceField(choices=Project.State.choices)


class QuestionFilterForm(AmbitForm):
    """The filters of the list of questions."""

    text = forms.CharField(required=False, max_length=200, label="Words or id")
    split = forms.ChoiceField(required=False, choices=[("", "Every split"), *Split.choices])
    state = forms.ChoiceField(required=False)
    person = forms.TypedChoiceField(required=False, coerce=int, label="Worked on by")
    warning = forms.ChoiceField(required=False, label="Kept warning")
    about = forms.ChoiceField(required=False, label="Claims")
    order = forms.ChoiceField(required=False, choices=questions_queries.ORDERS, label="Order")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        self.project = project
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Offer the states, people and rules that questions of the project can have."""
        protocol = protocols.protocol_of(self.project)
        unused = protocol.unused_states
        states = [(value, label) for value, label in Question.State.choices if value not in unused]
        states.append((CLOSED, CLOSED_LABEL))
        if protocol.aside:
            states.append((ASIDE, protocol.aside.label))
        self._offer("state", "Every state", states)
        people = [(person.pk, person.name) for person in list_people(self.project)]
        self._offer("person", "Anyone", people)
        rules = protocol.rules.registry.values()
        warnings = [(rule.key, rule.title) for rule in rules if rule.level == "warning"]
        if protocol.has_feature(Feature.WARNINGS):
            self._offer("warning", "Any or none", warnings)
        else:
            del self.fields["warning"]
        about = list(questions_queries.ABOUT)
        if protocol.has_feature(Feature.CONCERNS):
            about += questions_queries.CONCERNS
            self.fields["about"].label = "Claims and concerns"
        elif not protocol.has_feature(Feature.DISPUTES):
            about = [each for each in about if each[0] == "asked"]
            self.fields["about"].label = "Asked the team"
        self._offer("about", "Any or none", about)

    def _offer(self, name: str, nothing: str, choices: Sequence[tuple[Any, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", nothing), *choices]

    @property
    def wanted(self) -> questions_queries.QuestionFilters:
        """The chosen filters; a value that is not offered filters nothing."""
        self.is_valid()
        return questions_queries.QuestionFilters(
            **{name: v for name, v in self.cleaned_data.items() if v}
        )


class RulesForm(AmbitForm):
    """The settings of the checks, made from their schema."""

    def __init__(self, *args: Any, rules: Rules[Any, Any], **kwargs: Any) -> None:
        self.rules = rules
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Add a field for each setting of each rule."""
        for setting in self.rules.list_settings():
            self.fields[setting.key] = self._field(setting)

    def _field(self, setting: Setting) -> forms.Field:
        if setting.type == "bool":
            return forms.BooleanField(required=False, label=setting.label, help_text=setting.help)
        return forms.IntegerField(
            label=setting.label,
            help_text=setting.help,
            min_value=setting.minimum,
            max_value=setting.maximum,
        )


def rule_values(rules: Rules[Any, Any], stored: Mapping[str, object]) -> dict[str, object]:
    """Return every rule setting: the project's if it has one, otherwise the default."""
    values = {}
    for setting in rules.list_settings():
        value = stored.get(setting.key, setting.default)
        values[setting.key] = bool(value) if setting.type == "bool" else value
    return values
