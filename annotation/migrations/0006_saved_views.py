"""Views of the list of questions that people save."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_retired_gold_items'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('name', models.CharField(max_length=60)),
                ('query', models.CharField(blank=True, max_length=4000)),
                ('shared', models.BooleanField(default=False, help_text='The team of the project sees it, too.')),
                ('opens', models.BooleanField(default=False, help_text='The list opens with it, for its owner.')),
                ('changed_at', models.DateTimeField()),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to='annotation.project')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name', 'id'],
                'constraints': [models.UniqueConstraint(fields=('user', 'project', 'number'), name='saved_view_number_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1), ('number__lte', 20)), name='saved_view_number_bounded'), models.UniqueConstraint(fields=('user', 'project', 'name'), name='saved_view_name_once'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='saved_view_has_name'), models.UniqueConstraint(condition=models.Q(('opens', True)), fields=('user', 'project'), name='saved_view_one_opens')],
            },
        ),
    ]
