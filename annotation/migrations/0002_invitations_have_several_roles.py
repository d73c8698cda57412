"""One invitation for each address and project, in several roles, with what happened to it."""

import django.contrib.postgres.fields
import django.db.models.functions.text
from django.db import migrations, models
from django.utils import timezone

SEE_ANSWERS = {"annotator", "validator", "researcher", "admin"}
KNOWN = ["annotator", "validator", "judge", "expert", "researcher", "admin"]
NEITHER = models.Q(accepted_at__isnull=True) | models.Q(revoked_at__isnull=True)


def join_open(apps, schema_editor):
    """Make one of several open invitations of one address: the one that ends last.

    It takes over the roles of the others that still work, where they go with its own; their links
    say from now on that they were withdrawn.
    """
    invitations = apps.get_model("annotation", "Invitation").objects
    now = timezone.now()
    invitations.filter(accepted_at__isnull=False, revoked_at__isnull=False).update(revoked_at=None)
    kept = {}
    rows = invitations.filter(accepted_at=None, revoked_at=None)
    for row in rows.order_by("-expires_at", "-pk"):
        first = kept.setdefault((row.project_id, row.email.lower()), row)
        if first is row:
            continue
        roles = {*first.roles, *row.roles}
        if row.expires_at > now and not ("expert" in roles and SEE_ANSWERS & roles):
            first.roles = [role for role in KNOWN if role in roles]
            first.save(update_fields=["roles"])
        row.revoked_at = now
        row.save(update_fields=["revoked_at"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_squashed_0043_feedback_is_a_thread")]

    operations = [
        migrations.RemoveConstraint("invitation", "invitation_role_known"),
        migrations.RemoveConstraint("invitation", "invitation_one_open_per_address_and_role"),
        migrations.AddField(
            "invitation",
            "roles",
            django.contrib.postgres.fields.ArrayField(
                models.CharField(
                    choices=[(role, role.capitalize()) for role in KNOWN], max_length=10
                ),
                default=list,
            ),
            preserve_default=False,
        ),
        migrations.RunSQL(
            "UPDATE annotation_invitation SET roles = ARRAY[role]", migrations.RunSQL.noop
        ),
        migrations.RemoveField("invitation", "role"),
        migrations.AlterField("invitation", "email", models.EmailField(blank=True, max_length=254)),
        migrations.AddField(
            "invitation", "name", models.CharField(blank=True, default="", max_length=150),
            preserve_default=False,
        ),
        migrations.AddField(
            "invitation", "message", models.TextField(blank=True, default="", max_length=1000),
            preserve_default=False,
        ),
        migrations.AddField(
            "invitation",
            "letter",
            models.CharField(
                choices=[
                    ("none", "Not sent by Ambit"),
                    ("waiting", "Waits to be sent"),
                    ("sent", "Sent"),
                    ("failed", "Could not be sent"),
                ],
                default="none",
                max_length=7,
            ),
        ),
        migrations.AddField("invitation", "sent_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "invitation",
            "opened_at",
            models.DateTimeField(help_text="When its link was first opened.", null=True),
        ),
        migrations.AddField(
            "invitation",
            "renewal_asked_at",
            models.DateTimeField(
                help_text="When the person last asked for a new link, after it had expired.",
                null=True,
            ),
        ),
        migrations.AddField("invitation", "declined_at", models.DateTimeField(null=True)),
        migrations.RunPython(join_open, migrations.RunPython.noop),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                condition=models.Q(roles__contained_by=KNOWN), name="invitation_roles_known"
            ),
        ),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                condition=models.Q(roles__len__gt=0), name="invitation_has_a_role"
            ),
        ),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                condition=~models.Q(roles__contains=["expert"])
                | ~models.Q(roles__overlap=["annotator", "validator", "researcher", "admin"]),
                name="invitation_experts_see_no_answers",
            ),
        ),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                condition=NEITHER
                & (models.Q(accepted_at__isnull=True) | models.Q(declined_at__isnull=True))
                & (models.Q(revoked_at__isnull=True) | models.Q(declined_at__isnull=True)),
                name="invitation_ends_once",
            ),
        ),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                condition=(models.Q(declined_at__isnull=True) & ~models.Q(email=""))
                | models.Q(declined_at__isnull=False, email="", message="", name=""),
                name="invitation_declined_keeps_no_address",
            ),
        ),
        migrations.AddConstraint(
            "invitation",
            models.CheckConstraint(
                condition=models.Q(letter="sent", sent_at__isnull=False)
                | models.Q(letter__in=["none", "waiting", "failed"], sent_at__isnull=True),
                name="invitation_sent_iff_at",
            ),
        ),
        migrations.AddConstraint(
            "invitation",
            models.UniqueConstraint(
                django.db.models.functions.text.Lower("email"),
                models.F("project"),
                condition=models.Q(
                    accepted_at__isnull=True, revoked_at__isnull=True, declined_at__isnull=True
                ),
                name="invitation_one_open_per_address",
            ),
        ),
    ]
