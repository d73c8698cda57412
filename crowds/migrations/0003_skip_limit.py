"""A limit of the questions that a participant may skip before there is no completion code."""

from decimal import Decimal

from django.db import migrations, models
from django.db.models import Q

STATUSES = [
    ("working", "Working"),
    ("completed", "Completed"),
    ("screened_out", "Screened out"),
    ("returned", "Returned"),
    ("timed_out", "Timed out"),
    ("skipped", "Skipped too many"),
]


class Migration(migrations.Migration):
    dependencies = [("crowds", "0002_more_codes")]

    operations = [
        # Recruitments that are there get the default, for those who begin from now on. Who has
        # begun keeps no limit (NULL): nothing told them of one.
        migrations.AddField(
            "recruitment",
            "skip_limit",
            models.DecimalField(
                max_digits=3,
                decimal_places=2,
                default=Decimal("0.33"),
                db_default=Decimal("0.33"),
                help_text="The share of questions that a participant may skip or release. Beyond "
                "it there is no completion code.",
            ),
        ),
        migrations.AddField(
            "participation",
            "skip_limit",
            models.DecimalField(max_digits=3, decimal_places=2, null=True),
        ),
        migrations.AddField(
            "participation",
            "skipped",
            models.PositiveIntegerField(
                default=0, db_default=0, help_text="Questions skipped or released, once it ended."
            ),
        ),
        migrations.AlterField(
            "participation",
            "status",
            models.CharField(max_length=12, choices=STATUSES, default="working"),
        ),
        migrations.RemoveConstraint("participation", "participation_status_known"),
        migrations.AddConstraint(
            "participation",
            models.CheckConstraint(
                condition=Q(status__in=[key for key, _ in STATUSES]),
                name="participation_status_known",
            ),
        ),
        migrations.AddConstraint(
            "participation",
            models.CheckConstraint(
                condition=Q(skip_limit__isnull=True) | Q(skip_limit__gte=0, skip_limit__lte=1),
                name="participation_skip_limit_is_a_share",
            ),
        ),
        migrations.AddConstraint(
            "participation",
            models.CheckConstraint(
                condition=~Q(status="skipped") | Q(code=""),
                name="participation_skipped_has_no_code",
            ),
        ),
        migrations.AddConstraint(
            "recruitment",
            models.CheckConstraint(
                condition=Q(skip_limit__gte=0, skip_limit__lte=1),
                name="recruitment_skip_limit_is_a_share",
            ),
        ),
    ]
