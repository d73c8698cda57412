"""What members say about themselves, if they wish (S16, Q6)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0013_pay_by_pair'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='consenttext',
            name='asks_background',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether people may say if they are native speakers and work full time, and where they live (S16, Q6).'),
        ),
        migrations.CreateModel(
            name='Background',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('native_speaker', models.BooleanField(help_text="Of the language of the project's questions.", null=True)),
                ('full_time', models.BooleanField(help_text='40 hours a week.', null=True)),
                ('country', models.CharField(blank=True, help_text='ISO 3166: two letters.', max_length=2)),
                ('said_at', models.DateTimeField()),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backgrounds', to='annotation.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backgrounds', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'project'), name='background_once_per_person'), models.CheckConstraint(condition=models.Q(('country', ''), ('country__regex', '^[A-Z]{2}$'), _connector='OR'), name='background_country_two_letters'), models.CheckConstraint(condition=models.Q(('native_speaker__isnull', False), ('full_time__isnull', False), models.Q(('country', ''), _negated=True), _connector='OR'), name='background_says_something')],
            },
        ),
    ]
