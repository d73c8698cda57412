import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('validation', '0001_initial'),
        ('validation', '0002_claims'),
        ('validation', '0003_audit'),
        ('validation', '0004_excluded_answers'),
        ('validation', '0005_agreement'),
        ('validation', '0006_submission_outcomes'),
        ('validation', '0007_store_outcomes'),
        ('validation', '0001_squashed_0007_store_outcomes'),
        ('validation', '0008_figures_in_one_store'),
    ]

    dependencies = [
        ('annotation', '0001_squashed_0043_feedback_is_a_thread'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditSample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='audit_samples', to='annotation.project')),
                ('split', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                ('population', models.CharField(choices=[('validated', 'Questions that a validator or the team decided'), ('accepted', 'All accepted questions')], max_length=9)),
                ('again', models.BooleanField(default=False, help_text='Questions of earlier draws could be drawn once more.')),
                ('seed', models.BigIntegerField()),
                ('drawn_from', models.PositiveIntegerField(help_text='How many questions there were.')),
                ('drawn_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('population__in', ['validated', 'accepted'])), name='audit_population_known'), models.CheckConstraint(condition=models.Q(('drawn_from__gte', 1)), name='audit_drawn_from_some')],
            },
        ),
        migrations.CreateModel(
            name='AuditItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sample', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='validation.auditsample')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='audit_items', to='annotation.question')),
                ('position', models.PositiveIntegerField()),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('sample', 'question'), name='audit_question_once_per_sample'), models.UniqueConstraint(fields=('sample', 'position'), name='audit_position_unique_in_sample')],
            },
        ),
        migrations.CreateModel(
            name='Validation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='validation', to='annotation.assignment')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='validations', to='annotation.question')),
                ('validator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='validations', to=settings.AUTH_USER_MODEL)),
                ('keeps', models.JSONField(default=list, help_text='Warnings kept: rule, field, reason.')),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Verdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('validation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='validation.validation')),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='annotation.annotation')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('validator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('correct', models.BooleanField()),
                ('derived', models.BooleanField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('validation', 'annotation'), name='verdict_once_per_annotation'), models.CheckConstraint(condition=models.Q(('author', models.F('validator')), _negated=True), name='verdict_not_on_own_work')],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='annotation.question')),
                ('source', models.CharField(choices=[('validation', 'Validator'), ('staff', 'Staff'), ('import', 'Imported as finished')], max_length=10)),
                ('outcome', models.CharField(choices=[('accepted', 'Accepted'), ('edited', 'Accepted with a change'), ('excluded', 'Excluded')], max_length=8)),
                ('change', models.CharField(choices=[('none', 'No change'), ('exclusion', 'An annotation was left out'), ('edit', 'The answers were changed')], max_length=9)),
                ('validation', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='decision', to='validation.validation')),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.TextField(blank=True, help_text='Why the question is excluded, or changed.')),
                ('covers', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                ('replaces', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='replaced_by', to='validation.decision')),
                ('in_force', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('in_force', True)), fields=('question',), name='decision_one_in_force_per_question'), models.CheckConstraint(condition=models.Q(('source__in', ['validation', 'staff', 'import'])), name='decision_source_known'), models.CheckConstraint(condition=models.Q(('outcome__in', ['accepted', 'edited', 'excluded'])), name='decision_outcome_known'), models.CheckConstraint(condition=models.Q(('change__in', ['none', 'exclusion', 'edit'])), name='decision_change_known'), models.CheckConstraint(condition=models.Q(models.Q(('source', 'validation'), ('validation__isnull', False)), models.Q(models.Q(('source', 'validation'), _negated=True), ('validation__isnull', True)), _connector='OR'), name='decision_validation_iff_validated'), models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'excluded'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='decision_exclusion_has_reason')],
            },
        ),
        migrations.CreateModel(
            name='AcceptedAnnotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accepted', to='validation.decision')),
                ('position', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('multiple', 'Several answers'), ('single', 'One clear answer')], max_length=8)),
                ('annotation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='accepted', to='annotation.annotation')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('decision', 'position'), name='accepted_position_unique'), models.CheckConstraint(condition=models.Q(('kind__in', ['multiple', 'single'])), name='accepted_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='AcceptedPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('accepted', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='validation.acceptedannotation')),
                ('position', models.PositiveSmallIntegerField()),
            ],
            options={
                'verbose_name': 'accepted pair',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('accepted', 'position'), name='accepted_pair_position_unique')],
            },
        ),
        migrations.CreateModel(
            name='AcceptedQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='validation.acceptedpair')),
                ('position', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
                ('source', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.qapair')),
                ('edited', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('pair', 'position'), name='accepted_question_position_unique'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='accepted_question_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='AcceptedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='validation.acceptedpair')),
                ('position', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
                ('source', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.answer')),
                ('edited', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('pair', 'position'), name='accepted_answer_position_unique'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='accepted_answer_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='ExcludedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='excluded', to='validation.decision')),
                ('position', models.PositiveSmallIntegerField()),
                ('answers', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('questions', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('reason', models.TextField(blank=True)),
                ('pairs', models.ManyToManyField(related_name='excluded_answers', to='annotation.qapair')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('decision', 'position'), name='excluded_answer_position_unique')],
            },
        ),
        migrations.CreateModel(
            name='Ruling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rulings', to='annotation.thread')),
                ('verdict', models.CharField(choices=[('upheld', 'Upheld'), ('changed', 'Changed')], max_length=7)),
                ('decision', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='ruling', to='validation.decision')),
                ('former', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='validation.decision')),
                ('reason', models.TextField()),
                ('warnings', models.JSONField(default=list, help_text='Warnings kept: rule, field.')),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('undone_at', models.DateTimeField(null=True)),
                ('undone_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('verdict__in', ['upheld', 'changed'])), name='ruling_verdict_known'), models.CheckConstraint(condition=models.Q(models.Q(('decision__isnull', False), ('verdict', 'changed')), models.Q(('decision__isnull', True), ('verdict', 'upheld')), _connector='OR'), name='ruling_decision_iff_changed'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='ruling_has_reason'), models.CheckConstraint(condition=models.Q(models.Q(('undone_at__isnull', True), ('undone_by__isnull', True)), models.Q(('undone_at__isnull', False), ('undone_by__isnull', False)), _connector='OR'), name='ruling_undone_by_iff_at'), models.CheckConstraint(condition=models.Q(('former__isnull', True), models.Q(('former', models.F('decision')), _negated=True), _connector='OR'), name='ruling_former_is_another')],
            },
        ),
        migrations.CreateModel(
            name='SubmissionOutcome',
            fields=[
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='outcome', serialize=False, to='annotation.assignment')),
                ('decision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='outcomes', to='validation.decision')),
                ('status', models.CharField(choices=[('written', 'Accepted as written'), ('changed', 'Accepted with a change'), ('partly', 'Partly accepted'), ('incorrect', 'Judged incorrect'), ('other', 'Another answer accepted'), ('excluded', 'Question excluded')], max_length=9)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['written', 'changed', 'partly', 'incorrect', 'other', 'excluded'])), name='submission_outcome_known'), models.CheckConstraint(condition=models.Q(('decision__isnull', False), ('status__in', ['written', 'excluded']), _connector='OR'), name='submission_outcome_decided_or_as_written')],
            },
        ),
    ]
