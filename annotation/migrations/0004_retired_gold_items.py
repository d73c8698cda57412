"""Gold items can be retired, and rules can ask for number and share."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.models import Q

BOTH = "False: either of number and share is enough to be flagged."


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_remembered_columns")]

    operations = [
        migrations.AddField(
            "golditem",
            "void_at",
            models.DateTimeField(
                null=True,
                help_text="Its known answer is in doubt: from then on it counts for no one.",
            ),
        ),
        # Rules that were saved keep their meaning: either was enough.
        migrations.AddField("goldplan", "both", models.BooleanField(default=False, help_text=BOTH)),
        migrations.AlterField("goldplan", "both", models.BooleanField(default=True, help_text=BOTH)),
        migrations.AlterField(
            "goldplan",
            "share",
            models.PositiveSmallIntegerField(
                blank=True,
                default=25,
                null=True,
                validators=[MinValueValidator(1), MaxValueValidator(100)],
            ),
        ),
        migrations.AddConstraint(
            "golditem",
            models.CheckConstraint(
                condition=Q(void_at__isnull=True) | Q(retired_at__isnull=False),
                name="gold_item_void_is_retired",
            ),
        ),
    ]
