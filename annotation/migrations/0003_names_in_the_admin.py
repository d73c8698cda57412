"""Names the Django admin shows in the plural."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0002_event_append_only"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="auditentry",
            options={"verbose_name_plural": "audit entries"},
        ),
        migrations.AlterModelOptions(
            name="qapair",
            options={"ordering": ["position"], "verbose_name": "question-answer pair"},
        ),
        migrations.AlterModelOptions(
            name="stagepolicy",
            options={"ordering": ["stage", "split"], "verbose_name_plural": "stage policies"},
        ),
    ]
