"""Memberships of people in projects, by role, and invitations."""

from collections.abc import Collection

from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import RangeOperators
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


OFFERED_ROLES = [(str(role.value), str(role.label)) for role in Role]
# People with these roles write answers or can open them, which experts must not before they judge.
SEE_ANSWERS = frozenset(
    {Role.ANNOTATOR.value, Role.VALIDATOR.value, Role.RESEARCHER.value, Role.ADMIN.value}
)
ROLE_KNOWN = Q(role__in=["annotator", "validator", "judge", "expert", "researcher", "admin"])


def go_together(roles: Collection[str], role: str) -> bool:
    """Return whether a person with these roles of a project may have one more.

    Experts are blind: they have no role that sees answers.
    """
    if role == Role.EXPERT:
        return not SEE_ANSWERS & set(roles)
    return role not in SEE_ANSWERS or Role.EXPERT not in roles


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


class Invitation(models.Model):
    """A signed link that lets one address into one project, once, until it expires."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=ROLE_KNOWN, name="invitation_role_known"),
            models.CheckConstraint(
                condition=Q(accepted_by__isnull=True, accepted_at__isnull=True)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False),
                name="invitation_accepted_by_iff_at",
            ),
            models.UniqueConstraint(
                Lower("email"),
                "project",
                "role",
                condition=Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="invitation_one_open_per_address_and_role",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} to {self.project}"
