"""How many pairs of a submission are accepted, for its pay (A60)."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0013_pay_by_pair'),
        ('validation', '0001_squashed_0008_figures_in_one_store'),
    ]

    operations = [
        migrations.AddField(
            model_name='submissionoutcome',
            name='pairs',
            field=models.PositiveSmallIntegerField(help_text='How many of its pairs are accepted; null where the status says it: all as written, or none.', null=True),
        ),
        migrations.AddConstraint(
            model_name='submissionoutcome',
            constraint=models.CheckConstraint(condition=models.Q(('pairs__isnull', True), ('status__in', ['changed', 'partly']), _connector='OR'), name='submission_outcome_pairs_if_some_differ'),
        ),
    ]
