"""Quotes in tables keep what names their cell; quotes made before have none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("wikipedia", "0002_live_wikihost")]

    operations = [
        migrations.AddField(
            model_name="quote",
            name="headers",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="Of a cell: the table's caption, and its row and column headers from "
                "outside in.",
            ),
        ),
    ]
