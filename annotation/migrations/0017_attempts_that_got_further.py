"""Attempts of a job that got further than those before do not count as lost (S58)."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0016_pay_by_match'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='advanced',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='The last attempt that got further than those before; 0: none is known to have.'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.CheckConstraint(condition=models.Q(('advanced__lte', models.F('attempts'))), name='job_advanced_in_an_attempt'),
        ),
    ]
