"""Consent and backups in the audit of the installation, and one backup at a time."""

from django.db import migrations, models
from django.db.models import Q

OF_STAFF = (
    *("admin_made", "admin_removed", "factors_reset", "password_link_sent"),
    *("person_activated", "person_deactivated", "person_erased", "sessions_ended"),
    *("invited", "invitation_accepted", "invitation_declined", "invitation_renewed"),
    *("invitation_revoked", "role_added", "role_removed", "membership_paused", "pause_lifted"),
    *("qualified_by_hand", "qualification_revoked"),
    *("project_created", "project_changed", "project_duplicated", "project_state"),
    *("project_deleted", "policy_changed", "people_changed", "guidelines_published"),
    *("context_threshold_changed", "gold_settings", "webhook_added", "webhook_stopped"),
    *("recruitment_created", "recruitment_changed", "recruitment_state"),
    *("exported", "released", "questions_imported", "import_undone", "outputs_imported"),
    *("judgments_imported", "annotations_replaced", "long_answers_replaced"),
    *("system_deleted", "study_deleted", "participation_erased", "pay_entered"),
    *("consent_text_published", "consent_given", "consent_refused", "consent_withdrawn"),
    *("training_answered", "backup_asked", "weights_removed"),
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0009_consent")]

    operations = [
        migrations.RemoveIndex("auditentry", "audit_of_staff"),
        migrations.AddIndex(
            "auditentry",
            models.Index(fields=["-id"], condition=Q(action__in=OF_STAFF), name="audit_of_staff"),
        ),
        migrations.AddConstraint(
            "job",
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(kind="backup", state__in=["queued", "running"]),
                name="job_backup_once_while_unfinished",
            ),
        ),
    ]
