import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('qampari', '0001_qampari'),
        ('qampari', '0003_paraphrases'),
    ]

    dependencies = [
        ('annotation', '0001_squashed_0043_feedback_is_a_thread'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Sample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.project')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('seed', models.PositiveIntegerField()),
                ('made', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'person'), name='sample_once_per_project_and_person')],
            },
        ),
        migrations.CreateModel(
            name='Paraphrase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='paraphrases', to='annotation.question')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('place', models.PositiveIntegerField()),
                ('drawn', models.BooleanField()),
                ('version', models.PositiveIntegerField(default=0)),
                ('text', models.TextField()),
                ('submission', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='paraphrase', to='annotation.submission')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('question', 'author'), name='paraphrase_once_per_question_and_author'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='paraphrase_has_text')],
            },
        ),
        migrations.CreateModel(
            name='Verification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('paraphrase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verifications', to='qampari.paraphrase')),
                ('version', models.PositiveIntegerField()),
                ('verdict', models.CharField(choices=[('same', 'Same meaning'), ('changed', 'The meaning has changed'), ('unnatural', 'It does not read naturally')], max_length=9)),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='verification', to='annotation.submission')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['same', 'changed', 'unnatural'])), name='verification_verdict_known')],
            },
        ),
        migrations.CreateModel(
            name='ListQuestion',
            fields=[
                ('question', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='list', serialize=False, to='annotation.question')),
                ('kind', models.CharField(max_length=12)),
                ('source', models.CharField(blank=True, max_length=20)),
                ('seed', models.BigIntegerField()),
                ('reserve', models.BooleanField(default=False)),
                ('drawn_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('reserve', True)), fields=['question'], name='list_question_in_reserve')],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['simple', 'intersection', 'composition', 'other'])), name='list_question_kind_known'), models.CheckConstraint(condition=models.Q(('reserve', False), ('drawn_at', None), _connector='OR'), name='list_question_drawn_once')],
            },
        ),
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='annotation.question')),
                ('position', models.PositiveIntegerField()),
                ('text', models.TextField(blank=True)),
                ('forms', models.JSONField()),
                ('lot', models.FloatField()),
            ],
            options={
                'ordering': ['question', 'position'],
                'constraints': [models.UniqueConstraint(fields=('question', 'position'), name='candidate_once'), models.CheckConstraint(condition=models.Q(('lot__gte', 0), ('lot__lt', 1)), name='candidate_lot')],
            },
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='qampari.candidate')),
                ('position', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('url', models.TextField(blank=True)),
                ('pid', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['candidate', 'position'],
                'constraints': [models.UniqueConstraint(fields=('candidate', 'position'), name='evidence_once')],
            },
        ),
    ]
