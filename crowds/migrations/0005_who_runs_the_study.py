"""Who runs the study and whom participants can write to, as the consent page names them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("crowds", "0004_id_hash")]

    operations = [
        migrations.AddField(
            "briefing", name, models.CharField(max_length=200, blank=True, db_default="")
        )
        for name in ("institution", "contact")
    ]
