"""Who did what when. No foreign keys, so that history never blocks a deletion."""

from django.db import models
from django.db.models import Q

# What administrators and staff do, in the kinds by which the administration looks for it. It names
# actions of every feature, as an index can only be over rows that it names.
STAFF_ACTIONS = {
    "accounts": (
        *("admin_made", "admin_removed", "factors_reset", "password_link_sent"),
        *("person_activated", "person_deactivated", "person_erased", "sessions_ended"),
    ),
    "roles": (
        *("invited", "invitation_accepted", "invitation_declined", "invitation_renewed"),
        *("invitation_revoked", "role_added", "role_removed", "membership_paused", "pause_lifted"),
        *("qualified_by_hand", "qualification_revoked"),
    ),
    "settings": (
        *("project_created", "project_changed", "project_duplicated", "project_state"),
        *("project_deleted", "policy_changed", "people_changed", "guidelines_published"),
        *("context_threshold_changed", "gold_settings", "webhook_added", "webhook_stopped"),
        *("recruitment_created", "recruitment_changed", "recruitment_state"),
    ),
    "data": (
        *("exported", "released", "questions_imported", "import_undone", "outputs_imported"),
        *("judgments_imported", "annotations_replaced", "long_answers_replaced"),
        *("system_deleted", "study_deleted", "participation_erased", "pay_entered"),
    ),
    "consent": (
        *("consent_text_published", "consent_given", "consent_refused", "consent_withdrawn"),
        "training_answered",
    ),
    "installation": ("backup_asked", "weights_removed"),
}
OF_STAFF = tuple(action for actions in STAFF_ACTIONS.values() for action in actions)
OF_GOLDS = ("gold_flagged", "gold_settings", "golds_drawn", "membership_paused", "pause_lifted")


class AuditEntry(models.Model):
    """One decision or state change, written in the transaction that made it."""

    at = models.DateTimeField()
    actor = models.BigIntegerField(null=True, help_text="User id; null for scheduled work.")
    project = models.BigIntegerField(null=True)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=80, help_text='For example "assignment:12".')
    data = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            # The log tab of a project, newest first.
            models.Index(fields=["project", "-id"], name="audit_of_project"),
            models.Index(fields=["target", "id"], name="audit_of_target"),
            # The page of gold items; such rows are few among many.
            models.Index(
                fields=["project", "-id"], condition=Q(action__in=OF_GOLDS), name="audit_of_golds"
            ),
            # The audit of the installation; such rows are few among those of work.
            models.Index(fields=["-id"], condition=Q(action__in=OF_STAFF), name="audit_of_staff"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
