"""A minimum of tasks per person and week that a project can ask for (A59)."""

import django.core.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0014_background_of_people'),
        ('wikipedia', '0001_squashed_0005_dates_of_archives'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='project',
            name='weekly_minimum',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text='How many tasks each person is asked to do in a week (A59); 0 asks for none.', validators=[django.core.validators.MaxValueValidator(2000)]),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('weekly_minimum__lte', 2000)), name='project_weekly_minimum_up_to_2000'),
        ),
    ]
