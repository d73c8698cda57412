import django.core.validators
import django.db.models.deletion
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('crowds', '0001_crowds'),
        ('crowds', '0002_more_codes'),
        ('crowds', '0003_skip_limit'),
        ('crowds', '0004_id_hash'),
        ('crowds', '0005_who_runs_the_study'),
    ]

    dependencies = [
        ('annotation', '0001_squashed_0043_feedback_is_a_thread'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Briefing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='briefings', to='annotation.project')),
                ('version', models.PositiveIntegerField()),
                ('institution', models.CharField(blank=True, db_default='', max_length=200)),
                ('contact', models.CharField(blank=True, db_default='', max_length=200)),
                ('consent', models.TextField(help_text='In Markdown.')),
                ('form', models.TextField(blank=True, help_text='As crowds.questions reads it.')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'version'), name='briefing_version_unique'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='briefing_version_from_one'), models.CheckConstraint(condition=models.Q(('consent', ''), _negated=True), name='briefing_has_consent')],
            },
        ),
        migrations.CreateModel(
            name='Recruitment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recruitments', to='annotation.project')),
                ('title', models.CharField(max_length=120)),
                ('state', models.CharField(choices=[('open', 'Open'), ('closed', 'Closed')], default='open', max_length=6)),
                ('platform', models.CharField(choices=[('prolific', 'Prolific'), ('surveyswap', 'SurveySwap'), ('other', 'Another platform, with one link and one code for everyone'), ('personal', 'Personal links, made here from a list of ids')], max_length=10)),
                ('study', models.CharField(blank=True, help_text="The platform's id of the study; empty takes any.", max_length=64)),
                ('signed', models.BooleanField(default=False, help_text='Whether only links that the platform has signed let people in.')),
                ('stage', models.CharField(max_length=20)),
                ('questions', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(500)])),
                ('places', models.PositiveIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000)])),
                ('minutes', models.PositiveIntegerField(help_text='From consent, after which the place is free again.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)])),
                ('about_minutes', models.PositiveIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)])),
                ('reward', models.DecimalField(decimal_places=2, default=0, max_digits=8)),
                ('reward_screened_out', models.DecimalField(decimal_places=2, default=0, max_digits=8)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('code', models.CharField(blank=True, max_length=40)),
                ('code_screened_out', models.CharField(blank=True, max_length=40)),
                ('code_failed', models.CharField(blank=True, help_text='For who answered a check wrongly; empty: the first.', max_length=40)),
                ('code_declined', models.CharField(blank=True, max_length=40)),
                ('checks', models.TextField(blank=True, help_text='As crowds.questions reads it.')),
                ('fast_seconds', models.PositiveIntegerField(default=0, help_text='A median of less active time per question is flagged; 0 flags no one.')),
                ('skip_limit', models.DecimalField(db_default=Decimal('0.33'), decimal_places=2, default=Decimal('0.33'), help_text='The share of questions that a participant may skip or release. Beyond it there is no completion code.', max_digits=3)),
                ('ends_at', models.DateTimeField(help_text='No one can begin after it.')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['open', 'closed'])), name='recruitment_state_known'), models.CheckConstraint(condition=models.Q(('platform__in', ['prolific', 'surveyswap', 'other', 'personal'])), name='recruitment_platform_known'), models.CheckConstraint(condition=models.Q(('about_minutes__gte', 1), ('minutes__gte', 1), ('places__gte', 1), ('questions__gte', 1)), name='recruitment_asks_for_something'), models.CheckConstraint(condition=models.Q(('reward__gte', 0), ('reward_screened_out__gte', 0)), name='recruitment_rewards_not_negative'), models.CheckConstraint(condition=models.Q(('skip_limit__gte', 0), ('skip_limit__lte', 1)), name='recruitment_skip_limit_is_a_share'), models.CheckConstraint(condition=models.Q(('currency__regex', '^[A-Z]{3}$')), name='recruitment_currency_three_letters'), models.CheckConstraint(condition=models.Q(('stage', ''), _negated=True), name='recruitment_stage_named'), models.CheckConstraint(condition=models.Q(('platform', 'prolific'), ('signed', False), _connector='OR'), name='recruitment_signed_by_prolific_only'), models.CheckConstraint(condition=models.Q(('platform', 'personal'), models.Q(('code', ''), _negated=True), _connector='OR'), name='recruitment_code_where_the_platform_has_one')],
            },
        ),
        migrations.CreateModel(
            name='Participation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('recruitment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='crowds.recruitment')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to=settings.AUTH_USER_MODEL)),
                ('briefing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='crowds.briefing')),
                ('external_id', models.CharField(blank=True, max_length=64)),
                ('session', models.CharField(blank=True, max_length=64)),
                ('status', models.CharField(choices=[('working', 'Working'), ('completed', 'Completed'), ('screened_out', 'Screened out'), ('returned', 'Returned'), ('timed_out', 'Timed out'), ('skipped', 'Skipped too many')], default='working', max_length=12)),
                ('consented_at', models.DateTimeField()),
                ('deadline', models.DateTimeField()),
                ('skip_limit', models.DecimalField(decimal_places=2, max_digits=3, null=True)),
                ('answers', models.JSONField(help_text='What the person said in the form.', null=True)),
                ('answered_at', models.DateTimeField(null=True)),
                ('instructed_at', models.DateTimeField(null=True)),
                ('next_check', models.PositiveIntegerField(help_text='After how many questions the next check comes.', null=True)),
                ('checks', models.JSONField(default=list, help_text='Answers to the attention checks, in order.')),
                ('ended_at', models.DateTimeField(null=True)),
                ('done', models.PositiveIntegerField(default=0, help_text='Questions submitted, once it ended.')),
                ('skipped', models.PositiveIntegerField(db_default=0, default=0, help_text='Questions skipped or released, once it ended.')),
                ('median_seconds', models.PositiveIntegerField(null=True)),
                ('code', models.CharField(blank=True, max_length=40)),
                ('comment', models.TextField(blank=True)),
                ('flagged', models.BooleanField(default=False)),
                ('review', models.CharField(blank=True, choices=[('', 'Waiting'), ('approved', 'Approved'), ('rejected', 'Rejected')], default='', max_length=8)),
                ('reviewed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reviewed_at', models.DateTimeField(null=True)),
                ('reason', models.TextField(blank=True)),
                ('bonus', models.DecimalField(decimal_places=2, default=0, max_digits=8)),
                ('erased_at', models.DateTimeField(null=True)),
                ('id_hash', models.CharField(blank=True, db_default='', help_text='A keyed hash of the recruitment and the id that was deleted, as long as the recruitment is open, so that no one takes part twice.', max_length=64)),
            ],
            options={
                'indexes': [models.Index(fields=['recruitment', 'review', '-flagged', 'ended_at'], name='participation_to_review'), models.Index(condition=models.Q(('status', 'working')), fields=['deadline'], name='participation_deadline')],
                'constraints': [models.UniqueConstraint(fields=('recruitment', 'user'), name='participation_once_per_account'), models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('recruitment', 'external_id'), name='participation_once_per_person'), models.UniqueConstraint(condition=models.Q(('status', 'working')), fields=('user',), name='participation_one_at_a_time'), models.CheckConstraint(condition=models.Q(('status__in', ['working', 'completed', 'screened_out', 'returned', 'timed_out', 'skipped'])), name='participation_status_known'), models.CheckConstraint(condition=models.Q(('skip_limit__isnull', True), models.Q(('skip_limit__gte', 0), ('skip_limit__lte', 1)), _connector='OR'), name='participation_skip_limit_is_a_share'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'skipped'), _negated=True), ('code', ''), _connector='OR'), name='participation_skipped_has_no_code'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('status', 'working')), models.Q(models.Q(('status', 'working'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='participation_ended_iff_not_working'), models.CheckConstraint(condition=models.Q(models.Q(('review', ''), ('reviewed_at__isnull', True), ('reviewed_by__isnull', True)), models.Q(('review__in', ['approved', 'rejected']), ('reviewed_at__isnull', False), ('reviewed_by__isnull', False), models.Q(('status', 'working'), _negated=True)), _connector='OR'), name='participation_reviewed_by_someone_after_its_end'), models.CheckConstraint(condition=models.Q(models.Q(('review', 'rejected'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='participation_rejected_with_a_reason'), models.CheckConstraint(condition=models.Q(('bonus__gte', 0)), name='participation_bonus_not_negative'), models.CheckConstraint(condition=models.Q(('erased_at__isnull', True), models.Q(('answers__isnull', True), ('comment', ''), ('external_id', ''), ('session', '')), _connector='OR'), name='participation_erased_is_empty'), models.CheckConstraint(condition=models.Q(('id_hash', ''), ('erased_at__isnull', False), _connector='OR'), name='participation_hash_of_erased'), models.UniqueConstraint(condition=models.Q(('id_hash', ''), _negated=True), fields=('recruitment', 'id_hash'), name='participation_hash_once_per_person')],
            },
        ),
    ]
