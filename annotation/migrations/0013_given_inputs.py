from django.db import migrations, models

# Until now the policy of the moment counted for everybody.
_AS_THE_POLICY = """
    UPDATE annotation_assignment a SET inputs = p.inputs FROM annotation_stagepolicy p
    WHERE p.id = a.policy_id AND p.inputs <> 'full'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0012_context_search"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="inputs",
            field=models.CharField(
                choices=[
                    ("full", "Everything known: readings, contexts, pages"),
                    ("question", "Only the question"),
                ],
                db_default="full",
                default="full",
                help_text="What a writer of long answers was given: the policy's when it was "
                "taken (S9).",
                max_length=8,
            ),
        ),
        migrations.RunSQL(_AS_THE_POLICY, migrations.RunSQL.noop),
    ]
