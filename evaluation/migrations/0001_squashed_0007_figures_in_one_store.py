import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('evaluation', '0001_first'),
        ('evaluation', '0002_results_and_pairs'),
        ('evaluation', '0003_output_details'),
        ('evaluation', '0004_types_of_ambiguity'),
        ('evaluation', '0005_reader_answers'),
        ('evaluation', '0006_judgments_once'),
        ('evaluation', '0007_figures_in_one_store'),
    ]

    dependencies = [
        ('annotation', '0001_squashed_0043_feedback_is_a_thread'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Ambiguity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ambiguities', to='annotation.project')),
                ('question', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='ambiguity', to='annotation.question')),
                ('position', models.PositiveIntegerField()),
                ('types', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('event', 'Event references'), ('property', 'Properties'), ('entity', 'Entity references'), ('answer', 'Answer types'), ('time', 'Time-dependency'), ('several', 'Multiple sub-questions'), ('other', 'None of these')], max_length=8), blank=True, default=list, size=None)),
                ('labelled_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('labelled_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name_plural': 'ambiguities',
                'ordering': ['project', 'position'],
                'constraints': [models.UniqueConstraint(fields=('project', 'position'), name='ambiguity_position_once'), models.CheckConstraint(condition=models.Q(('types__contained_by', ['event', 'property', 'entity', 'answer', 'time', 'several', 'other'])), name='ambiguity_types_known'), models.CheckConstraint(condition=models.Q(models.Q(('labelled_at__isnull', True), ('labelled_by__isnull', True), ('types', [])), models.Q(models.Q(('types', []), _negated=True), ('labelled_at__isnull', False), ('labelled_by__isnull', False)), _connector='OR'), name='ambiguity_labelled_by_somebody'), models.CheckConstraint(condition=models.Q(models.Q(('types__contains', ['other']), _negated=True), ('types', ['other']), _connector='OR'), name='ambiguity_none_of_these_alone')],
            },
        ),
        migrations.CreateModel(
            name='System',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='systems', to='annotation.project')),
                ('name', models.CharField(max_length=80)),
                ('version', models.CharField(blank=True, max_length=40)),
                ('kind', models.CharField(choices=[('model', 'Model'), ('baseline', 'Baseline'), ('human', 'Human reference')], default='model', max_length=8)),
                ('options', models.JSONField(blank=True, default=dict, help_text='How it was run.')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['name', 'version', 'id'],
                'constraints': [models.UniqueConstraint(fields=('project', 'name', 'version'), name='system_once_per_name_and_version'), models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='system_named'), models.CheckConstraint(condition=models.Q(('kind__in', ['model', 'baseline', 'human'])), name='system_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='Output',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='evaluation.system')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='outputs', to='annotation.question')),
                ('text', models.TextField()),
                ('details', models.JSONField(blank=True, default=dict)),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('system', 'question'), name='output_once_per_system_and_question'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='output_has_text')],
            },
        ),
        migrations.CreateModel(
            name='ReaderAnswers',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('output', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reader_answers', to='evaluation.output')),
                ('reader', models.CharField(help_text='Its name with its version.', max_length=120)),
                ('answers', models.JSONField(help_text='One text for each question, empty for no answer.')),
                ('digest', models.CharField(max_length=32)),
                ('read_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'reader answers',
                'constraints': [models.CheckConstraint(condition=models.Q(('reader', ''), _negated=True), name='reader_answers_name_reader')],
            },
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='studies', to='annotation.project')),
                ('title', models.CharField(max_length=120)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('running', 'Running'), ('closed', 'Closed')], default='draft', max_length=7)),
                ('split', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], default='dev', max_length=5)),
                ('size', models.PositiveIntegerField(default=45, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5000)])),
                ('seed', models.BigIntegerField(validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(9007199254740992)])),
                ('stratified', models.BooleanField(default=True)),
                ('pairing', models.CharField(choices=[('all', 'Every two systems'), ('matching', 'Each system in one pair per question'), ('blocks', 'A balanced part of all pairs'), ('reference', 'Each system with one of them'), ('alone', 'One answer at a time, without pairs'), ('expert', 'One answer at a time, judged by experts')], default='matching', max_length=9)),
                ('reference', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='evaluation.system')),
                ('raters', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(25)])),
                ('repeats', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MaxValueValidator(100)])),
                ('criteria', models.JSONField(blank=True, default=list)),
                ('steps', models.PositiveSmallIntegerField(default=3)),
                ('accuracy', models.BooleanField(default=True, help_text='Whether it is asked what each answer says.')),
                ('shown', models.CharField(choices=[('lower', 'Lower case, without formatting'), ('plain', 'Without formatting'), ('as_is', 'As it is')], default='lower', max_length=5)),
                ('minutes', models.FloatField(default=3.0, validators=[django.core.validators.MinValueValidator(0.1)])),
                ('judgments_digest', models.CharField(blank=True, db_default='', default='', editable=False, max_length=64)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('closed_at', models.DateTimeField(null=True)),
                ('systems', models.ManyToManyField(related_name='studies', to='evaluation.system')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('started_at__isnull', True), ('state', 'draft')), models.Q(('closed_at__isnull', True), ('started_at__isnull', False), ('state', 'running')), models.Q(('closed_at__isnull', False), ('started_at__isnull', False), ('state', 'closed')), _connector='OR'), name='study_times_fit_state'), models.CheckConstraint(condition=models.Q(('pairing__in', ['all', 'matching', 'blocks', 'reference', 'alone', 'expert'])), name='study_pairing_known'), models.CheckConstraint(condition=models.Q(models.Q(('pairing', 'reference'), _negated=True), ('reference__isnull', False), _connector='OR'), name='study_reference_named'), models.CheckConstraint(condition=models.Q(('steps__in', [3, 5])), name='study_steps_3_or_5'), models.CheckConstraint(condition=models.Q(('shown__in', ['lower', 'plain', 'as_is'])), name='study_shown_known'), models.CheckConstraint(condition=models.Q(('raters__gte', 1), ('raters__lte', 25)), name='study_raters_1_to_25'), models.CheckConstraint(condition=models.Q(('repeats__lte', 100)), name='study_repeats_a_share'), models.CheckConstraint(condition=models.Q(('seed__gte', 0), ('seed__lte', 9007199254740992)), name='study_seed_exact'), models.UniqueConstraint(condition=models.Q(('judgments_digest', ''), _negated=True), fields=('project', 'judgments_digest'), name='study_judgments_once_per_project')],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='evaluation.study')),
                ('position', models.PositiveIntegerField(help_text='In the order in which it is handed out.')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='study_items', to='annotation.question')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='evaluation.system')),
                ('second', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='evaluation.system')),
                ('swapped', models.BooleanField(default=False)),
                ('repeats', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='repeated_by', to='evaluation.item')),
            ],
            options={
                'ordering': ['study', 'position'],
                'indexes': [models.Index(fields=['study', 'first', 'second', 'position'], name='item_of_a_pair')],
                'constraints': [models.UniqueConstraint(fields=('study', 'position'), name='item_position_unique'), models.CheckConstraint(condition=models.Q(('second__isnull', True), models.Q(('first', models.F('second')), _negated=True), _connector='OR'), name='item_of_two_systems'), models.CheckConstraint(condition=models.Q(('second__isnull', False), ('swapped', False), _connector='OR'), name='item_swaps_two')],
            },
        ),
        migrations.CreateModel(
            name='Judgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='evaluation.item')),
                ('judge', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to=settings.AUTH_USER_MODEL)),
                ('judge_name', models.CharField(blank=True, max_length=80)),
                ('swapped', models.BooleanField(default=False)),
                ('first_author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('second_author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('submission', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='judgment', to='annotation.submission')),
                ('response', models.JSONField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('item', 'judge'), name='judgment_once_per_person'), models.CheckConstraint(condition=models.Q(('judge__isnull', True), ('first_author__isnull', True), models.Q(('judge', models.F('first_author')), _negated=True), _connector='OR'), name='judgment_not_of_own_first_text'), models.CheckConstraint(condition=models.Q(('judge__isnull', True), ('second_author__isnull', True), models.Q(('judge', models.F('second_author')), _negated=True), _connector='OR'), name='judgment_not_of_own_second_text'), models.CheckConstraint(condition=models.Q(models.Q(('judge__isnull', False), ('response__isnull', True), ('submission__isnull', False)), models.Q(('judge__isnull', True), ('response__isnull', False), ('submission__isnull', True)), _connector='OR'), name='judgment_submitted_or_imported')],
            },
        ),
        migrations.CreateModel(
            name='Consensus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='consensus', to='evaluation.item')),
                ('verdict', models.CharField(choices=[('correct', 'Correct'), ('debatable', 'Correct, but debatable'), ('wrong', 'Wrong')], max_length=9)),
                ('justification', models.TextField()),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'consensuses',
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['correct', 'debatable', 'wrong'])), name='consensus_verdict_known'), models.CheckConstraint(condition=models.Q(('justification', ''), _negated=True), name='consensus_has_justification')],
            },
        ),
    ]
