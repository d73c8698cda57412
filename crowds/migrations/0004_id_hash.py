"""What is left of a deleted id, so that no one takes part twice while a recruitment is open."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("crowds", "0003_skip_limit")]

    operations = [
        migrations.AddField(
            "participation",
            "id_hash",
            models.CharField(
                max_length=64,
                blank=True,
                db_default="",
                help_text="A keyed hash of the recruitment and the id that was deleted, as long "
                "as the recruitment is open, so that no one takes part twice.",
            ),
        ),
        migrations.AddConstraint(
            "participation",
            models.CheckConstraint(
                condition=Q(id_hash="") | Q(erased_at__isnull=False),
                name="participation_hash_of_erased",
            ),
        ),
        migrations.AddConstraint(
            "participation",
            models.UniqueConstraint(
                fields=["recruitment", "id_hash"],
                condition=~Q(id_hash=""),
                name="participation_hash_once_per_person",
            ),
        ),
    ]
