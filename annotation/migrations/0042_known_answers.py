from django.db import migrations, models

# A table whose constraints are still to be checked cannot be altered.
AT_ONCE = "SET CONSTRAINTS ALL IMMEDIATE"
# What is empty is left out.
TOGETHER = """
    UPDATE annotation_qualificationitem SET expected = (
        SELECT coalesce(jsonb_object_agg(key, value), '{}')
        FROM jsonb_each(jsonb_build_object(
            'accepted', accepted, 'seeded', seeded, 'qa_pairs', qa_pairs,
            'model_answer', model_answer))
        WHERE value NOT IN ('[]', '""'))"""
APART = """
    UPDATE annotation_qualificationitem SET
        accepted = coalesce(expected -> 'accepted', '[]'),
        seeded = coalesce(expected -> 'seeded', '[]'),
        qa_pairs = coalesce(expected -> 'qa_pairs', '[]'),
        model_answer = coalesce(expected ->> 'model_answer', '')"""


class Migration(migrations.Migration):
    """What is known of the answer to an item of an exam is one column, as it is of a gold item."""

    dependencies = [
        ('annotation', '0041_figures_in_one_store'),
    ]

    operations = [
        migrations.AddField(
            model_name='qualificationitem',
            name='expected',
            field=models.JSONField(default=dict),
        ),
        migrations.RunSQL([AT_ONCE, TOGETHER], [AT_ONCE, APART]),
        migrations.RemoveField(model_name='qualificationitem', name='accepted'),
        migrations.RemoveField(model_name='qualificationitem', name='model_answer'),
        migrations.RemoveField(model_name='qualificationitem', name='qa_pairs'),
        migrations.RemoveField(model_name='qualificationitem', name='seeded'),
    ]
