"""A concern that its author takes back is kept, as withdrawn."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotation", "0008_long_answers")]

    operations = [
        migrations.RemoveConstraint(model_name="concern", name="concern_state_known"),
        migrations.RemoveConstraint(model_name="concern", name="concern_decided_iff_not_open"),
        migrations.AlterField(
            model_name="concern",
            name="state",
            field=models.CharField(
                choices=[
                    ("open", "Open"),
                    ("upheld", "Question excluded"),
                    ("dismissed", "Question kept"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="open",
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            model_name="concern",
            constraint=models.CheckConstraint(
                condition=Q(state__in=["open", "upheld", "dismissed", "withdrawn"]),
                name="concern_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="concern",
            constraint=models.CheckConstraint(
                condition=Q(
                    state__in=["open", "withdrawn"],
                    decided_at__isnull=True,
                    decided_by__isnull=True,
                )
                | Q(
                    state__in=["upheld", "dismissed"],
                    decided_at__isnull=False,
                    decided_by__isnull=False,
                ),
                name="concern_decided_iff_ruled",
            ),
        ),
    ]
