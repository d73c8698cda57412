"""Pay for each decision of a validator that an audit matches (A60)."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0015_weekly_minimum'),
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
            name='pay_match',
            field=models.DecimalField(db_default=0, decimal_places=2, default=0, max_digits=8),
        ),
        migrations.AddField(
            model_name='stagepolicy',
            name='pay_match',
            field=models.DecimalField(db_default=0, decimal_places=2, default=0, help_text="More per decision that an expert's answers in an audit match (A60).", max_digits=8),
        ),
        migrations.AlterField(
            model_name='payentry',
            name='kind',
            field=models.CharField(choices=[('submitted', 'Submitted'), ('accepted', 'Accepted'), ('pairs', 'Accepted pairs'), ('match', 'Matched an expert’s audit'), ('correction', 'Correction'), ('bonus', 'Bonus')], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='payentry',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['submitted', 'accepted', 'pairs', 'match', 'correction', 'bonus'])), name='pay_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='payentry',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', False), ('kind__in', ('submitted', 'accepted', 'pairs', 'match')), ('number__isnull', False), ('by__isnull', True), ('key__isnull', True)), models.Q(('assignment__isnull', True), ('kind__in', ('correction', 'bonus')), ('number__isnull', True), ('by__isnull', False), ('key__isnull', False)), _connector='OR'), name='pay_work_by_the_machine_rest_by_staff'),
        ),
        migrations.AddConstraint(
            model_name='stagepolicy',
            constraint=models.CheckConstraint(condition=models.Q(('pay_match__gte', 0)), name='policy_pay_match_not_negative'),
        ),
    ]
