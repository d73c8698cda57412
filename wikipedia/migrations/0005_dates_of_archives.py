"""The day of an archive was kept as the date of revisions whose date it does not name."""

from django.db import migrations, models

FORGET = """
    UPDATE wikipedia_shownpage AS page SET rev_timestamp = NULL
    FROM wikipedia_snapshot AS snapshot
    WHERE snapshot.id = page.snapshot_id AND snapshot.kind = 'zim'
      AND page.rev_timestamp = snapshot.as_of::timestamp AT TIME ZONE 'UTC'
"""


class Migration(migrations.Migration):
    dependencies = [("wikipedia", "0004_live_shown_html")]

    operations = [
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="shownpage",
            name="rev_timestamp",
            field=models.DateTimeField(
                help_text="When the revision was saved, where the source says so.", null=True
            ),
        ),
    ]
