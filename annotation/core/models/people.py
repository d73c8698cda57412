"""Memberships of people in projects, by role, and invitations."""

from collections.abc import Collection

from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import ArrayField, RangeOperators
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Lower

from annotation.core.models.projects import Project


class Role(models.TextChoices):
    """A person's role in one project. A person may have several."""

    ANNOTATOR = "annotator", "Annotator"
    VALIDATOR = "validator", "Validator"
    JUDGE = "judge", "Judge"
    EXPERT = "expert", "Expert"
    RESEARCHER = "researcher", "Researcher"
    ADMIN = "admin", "Admin"


# What people with a role do, for those who are invited.
ROLE_SENTENCES = {
    Role.ANNOTATOR: "You answer questions. You do not see other people’s answers.",
    Role.VALIDATOR: "You judge what others answered, and say what is accepted.",
    Role.JUDGE: "You judge answers without seeing who or what wrote them.",
    Role.EXPERT: "You judge or answer on your own, and never see what others here wrote.",
    Role.RESEARCHER: "You run the project: its questions, its guidelines and its results.",
    Role.ADMIN: "You run the project, and decide who works in it.",
}
OFFERED_ROLES = [(str(role.value), str(role.label)) for role in Role]
# People with these roles write answers or can open them, which experts must not before they judge.
SEE_ANSWERS = frozenset(
    {Role.ANNOTATOR.value, Role.VALIDATOR.value, Role.RESEARCHER.value, Role.ADMIN.value}
)
ROLE_VALUES = ["annotator", "validator", "judge", "expert", "researcher", "admin"]
ROLE_KNOWN = Q(role__in=ROLE_VALUES)


def go_together(roles: Collection[str], role: str) -> bool:
    """Return whether a person with these roles of a project may have one more.

    Experts are blind: they have no role that sees answers.
    """
    if role == Role.EXPERT:
        return not SEE_ANSWERS & set(roles)
    return role not in SEE_ANSWERS or Role.EXPERT not in roles


def all_go_together(roles: Collection[str]) -> bool:
    """Return whether one person may have all of these roles of a project."""
    return Role.EXPERT not in roles or not SEE_ANSWERS & set(roles)


def join_role_names(roles: Collection[str]) -> str:
    """Return roles in words and in their order, such as "annotator, validator and judge"."""
    names = [str(role.label).lower() for role in Role if role.value in roles]
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


# The range of an expert overlaps those of the roles that see answers, which do not overlap each
# other. Ranges rather than numbers, so that no extension of PostgreSQL is needed.
_PLACE = Func(
    F("role"),
    template="(CASE %(expressions)s WHEN 'expert' THEN int4range(0, 4)"
    " WHEN 'annotator' THEN int4range(0, 1) WHEN 'validator' THEN int4range(1, 2)"
    " WHEN 'researcher' THEN int4range(2, 3) WHEN 'admin' THEN int4range(3, 4) END)",
)


def _one(column: str) -> Func:
    return Func(F(column), F(column), Value("[]"), function="int8range")


class Membership(models.Model):
    """One role of one person in one project."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    paused_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Gets no new work from then on, until staff resume it.",
    )
    pause_reason = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "project", "role"], name="membership_once_per_role"
            ),
            models.CheckConstraint(condition=ROLE_KNOWN, name="membership_role_known"),
            ExclusionConstraint(
                name="membership_experts_see_no_answers",
                expressions=[
                    (_one("user"), RangeOperators.OVERLAPS),
                    (_one("project"), RangeOperators.OVERLAPS),
                    (_PLACE, RangeOperators.OVERLAPS),
                ],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.project}"


class LetterState(models.TextChoices):
    """What has become of the e-mail of an invitation."""

    NONE = "none", "Not sent by Ambit"
    WAITING = "waiting", "Waits to be sent"
    SENT = "sent", "Sent"
    FAILED = "failed", "Could not be sent"


# Neither used, withdrawn nor declined. It may have expired: renewing it makes its link work again.
INVITATION_OPEN = Q(accepted_at__isnull=True, revoked_at__isnull=True, declined_at__isnull=True)
_NEVER_TWO = [
    Q(accepted_at__isnull=True) | Q(revoked_at__isnull=True),
    Q(accepted_at__isnull=True) | Q(declined_at__isnull=True),
    Q(revoked_at__isnull=True) | Q(declined_at__isnull=True),
]


class Invitation(models.Model):
    """A signed link that lets one address into one project, in some roles, once, until it expires.

    name: as the inviter wrote it; message: a few words of theirs. The address, the name and the
    message of a declined invitation are erased.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True)
    name = models.CharField(max_length=150, blank=True)
    roles = ArrayField(models.CharField(max_length=10, choices=Role))
    message = models.TextField(max_length=1000, blank=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    letter = models.CharField(max_length=7, choices=LetterState, default=LetterState.NONE)
    sent_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True, help_text="When its link was first opened.")
    renewal_asked_at = models.DateTimeField(
        null=True, help_text="When the person last asked for a new link, after it had expired."
    )
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    declined_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(roles__contained_by=ROLE_VALUES), name="invitation_roles_known"
            ),
            models.CheckConstraint(condition=Q(roles__len__gt=0), name="invitation_has_a_role"),
            models.CheckConstraint(
                condition=~Q(roles__contains=["expert"])
                | ~Q(roles__overlap=["annotator", "validator", "researcher", "admin"]),
                name="invitation_experts_see_no_answers",
            ),
            models.CheckConstraint(
                condition=Q(accepted_by__isnull=True, accepted_at__isnull=True)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False),
                name="invitation_accepted_by_iff_at",
            ),
            models.CheckConstraint(
                condition=_NEVER_TWO[0] & _NEVER_TWO[1] & _NEVER_TWO[2], name="invitation_ends_once"
            ),
            models.CheckConstraint(
                condition=(Q(declined_at__isnull=True) & ~Q(email=""))
                | Q(declined_at__isnull=False, email="", name="", message=""),
                name="invitation_declined_keeps_no_address",
            ),
            models.CheckConstraint(
                condition=Q(letter="sent", sent_at__isnull=False)
                | Q(letter__in=["none", "waiting", "failed"], sent_at__isnull=True),
                name="invitation_sent_iff_at",
            ),
            models.UniqueConstraint(
                Lower("email"),
                "project",
                condition=INVITATION_OPEN,
                name="invitation_one_open_per_address",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email or 'someone'} to {self.project}"

    @property
    def role_names(self) -> str:
        """The roles in words, such as "annotator and validator"."""
        return join_role_names(self.roles)
