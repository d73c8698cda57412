"""Pay for each accepted pair (A60)."""

import django.core.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0012_suggested_verdicts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='payentry',
            name='pay_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='payentry',
            name='pay_work_by_the_machine_rest_by_staff',
        ),
        migrations.AddField(
            model_name='assignment',
            name='pay_pair',
            field=models.DecimalField(db_default=0, decimal_places=2, default=0, max_digits=8),
        ),
        migrations.AddField(
            model_name='assignment',
            name='pay_pairs_max',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='stagepolicy',
            name='pay_pair',
            field=models.DecimalField(db_default=0, decimal_places=2, default=0, help_text='More per pair of the work that is accepted (A60).', max_digits=8),
        ),
        migrations.AddField(
            model_name='stagepolicy',
            name='pay_pairs_max',
            field=models.PositiveSmallIntegerField(db_default=5, default=5, help_text='The maximum of pairs that are paid, per question.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(50)]),
        ),
        migrations.AlterField(
            model_name='payentry',
            name='kind',
            field=models.CharField(choices=[('submitted', 'Submitted'), ('accepted', 'Accepted'), ('pairs', 'Accepted pairs'), ('correction', 'Correction'), ('bonus', 'Bonus')], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='payentry',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['submitted', 'accepted', 'pairs', 'correction', 'bonus'])), name='pay_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='payentry',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', False), ('kind__in', ('submitted', 'accepted', 'pairs')), ('number__isnull', False), ('by__isnull', True), ('key__isnull', True)), models.Q(('assignment__isnull', True), ('kind__in', ('correction', 'bonus')), ('number__isnull', True), ('by__isnull', False), ('key__isnull', False)), _connector='OR'), name='pay_work_by_the_machine_rest_by_staff'),
        ),
        migrations.AddConstraint(
            model_name='stagepolicy',
            constraint=models.CheckConstraint(condition=models.Q(('pay_pair__gte', 0)), name='policy_pay_pair_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='stagepolicy',
            constraint=models.CheckConstraint(condition=models.Q(('pay_pairs_max__gte', 1), ('pay_pairs_max__lte', 50)), name='policy_paid_pairs_1_to_50'),
        ),
    ]
