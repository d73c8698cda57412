from django.db import migrations, models
from django.db.models import Q

# Nobody wrote down what state they had before. The log says when somebody archived them.
DATE_THOSE_THERE_ARE = """
UPDATE annotation_project p
SET reopens_as = 'closed',
    archived_at = COALESCE(
        (SELECT max(a.at) FROM annotation_auditentry a
         WHERE a.project = p.id AND a.action = 'project_state' AND a.data ->> 'state' = 'archived'),
        now())
WHERE p.state = 'archived'
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0006_saved_views")]

    operations = [
        migrations.AddField("project", "archived_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "project",
            "reopens_as",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The state that an archived project had before, and gets back.",
                max_length=8,
            ),
        ),
        migrations.RunSQL(DATE_THOSE_THERE_ARE, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "project",
            models.CheckConstraint(
                condition=Q(
                    state="archived",
                    archived_at__isnull=False,
                    reopens_as__in=["running", "paused", "closed"],
                )
                | (~Q(state="archived") & Q(archived_at__isnull=True, reopens_as="")),
                name="project_archived_iff_it_can_reopen",
            ),
        ),
    ]
