import django.contrib.postgres.constraints
import django.contrib.postgres.fields
import django.core.validators
import django.db.models.constraints
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.text
import django.db.models.lookups
import uuid
from django.conf import settings
from django.db import migrations, models


# Events are a log: the database itself refuses to change one.
EVENTS = """
CREATE FUNCTION event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'event_append_only: an event is never changed'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'event_append_only';
END $$;
CREATE TRIGGER event_append_only BEFORE UPDATE ON annotation_event
    FOR EACH ROW EXECUTE FUNCTION event_append_only();
"""
EVENTS_CHANGEABLE = """
DROP TRIGGER event_append_only ON annotation_event;
DROP FUNCTION event_append_only();
"""
# So is the pay ledger, of which nothing is deleted either.
LEDGER = """
CREATE FUNCTION pay_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'pay_append_only: an entry of the ledger is never changed or deleted'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'pay_append_only';
END $$;
CREATE TRIGGER pay_append_only BEFORE UPDATE OR DELETE ON annotation_payentry
    FOR EACH ROW EXECUTE FUNCTION pay_append_only();
"""
LEDGER_CHANGEABLE = """
DROP TRIGGER pay_append_only ON annotation_payentry;
DROP FUNCTION pay_append_only();
"""
# The log is what people rely on when they disagree about who did what. Only an e-mail address in it
# is replaced, when the person is erased or the invitation came to nothing.
AUDIT = """
CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
        AND (NEW.id, NEW.at, NEW.actor, NEW.project, NEW.action, NEW.target)
            IS NOT DISTINCT FROM (OLD.id, OLD.at, OLD.actor, OLD.project, OLD.action, OLD.target)
        AND jsonb_exists(OLD.data, 'email')
        AND NEW.data - 'email' = OLD.data - 'email'
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit_append_only: an entry of the log is never changed or deleted'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'audit_append_only';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON annotation_auditentry
    FOR EACH ROW EXECUTE FUNCTION audit_append_only();
"""
AUDIT_CHANGEABLE = """
DROP TRIGGER audit_append_only ON annotation_auditentry;
DROP FUNCTION audit_append_only();
"""


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('annotation', '0001_initial'),
        ('annotation', '0002_event_append_only'),
        ('annotation', '0003_names_in_the_admin'),
        ('annotation', '0004_threads_feedback_faq'),
        ('annotation', '0005_qualification'),
        ('annotation', '0006_pay_ledger'),
        ('annotation', '0007_live_event_key'),
        ('annotation', '0008_long_answers'),
        ('annotation', '0009_concern_withdrawn'),
        ('annotation', '0010_feedback_tags'),
        ('annotation', '0011_training'),
        ('annotation', '0012_context_search'),
        ('annotation', '0013_given_inputs'),
        ('annotation', '0014_newest_submissions'),
        ('annotation', '0015_returned_at'),
        ('annotation', '0016_more_quotes'),
        ('annotation', '0017_undo_and_archive'),
        ('annotation', '0018_question_order'),
        ('annotation', '0019_question_priority'),
        ('annotation', '0020_plain_labels'),
        ('annotation', '0021_no_suggestions'),
        ('annotation', '0022_protocols_name_themselves'),
        ('annotation', '0023_plain_help_texts'),
        ('annotation', '0024_job_alone'),
        ('annotation', '0025_submissions'),
        ('annotation', '0026_kinds_of_exams'),
        ('annotation', '0001_squashed_0026_kinds_of_exams'),
        ('annotation', '0027_stored_figures_and_own_work'),
        ('annotation', '0028_tasks_with_terms'),
        ('annotation', '0029_experts_see_no_answers'),
        ('annotation', '0030_assignment_of_task_by_constraint'),
        ('annotation', '0031_suggestions'),
        ('annotation', '0032_figures_with_filters'),
        ('annotation', '0033_job_log'),
        ('annotation', '0034_webhooks'),
        ('annotation', '0035_audit_append_only'),
        ('annotation', '0036_steps_of_work'),
        ('annotation', '0038_time_limits'),
        ('annotation', '0039_gold_items'),
        ('annotation', '0040_order_of_tasks'),
        ('annotation', '0041_figures_in_one_store'),
        ('annotation', '0042_known_answers'),
        ('annotation', '0043_feedback_is_a_thread'),
    ]

    dependencies = [
        ('wikipedia', '0001_squashed_0005_dates_of_archives'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('actor', models.BigIntegerField(help_text='User id; null for scheduled work.', null=True)),
                ('project', models.BigIntegerField(null=True)),
                ('action', models.CharField(max_length=60)),
                ('target', models.CharField(help_text='For example "assignment:12".', max_length=80)),
                ('data', models.JSONField(default=dict)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'indexes': [models.Index(fields=['project', '-id'], name='audit_of_project'), models.Index(fields=['target', 'id'], name='audit_of_target'), models.Index(condition=models.Q(('action__in', ('gold_flagged', 'gold_settings', 'golds_drawn', 'membership_paused', 'pause_lifted'))), fields=['project', '-id'], name='audit_of_golds')],
            },
        ),
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('title', models.CharField(max_length=120)),
                ('protocol', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('running', 'Running'), ('paused', 'Paused'), ('closed', 'Closed'), ('archived', 'Archived')], default='running', max_length=8)),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='projects', to='wikipedia.snapshot')),
                ('reference_date', models.DateField(help_text='Answer as if the question were asked on this day.')),
                ('rule_settings', models.JSONField(blank=True, default=dict)),
                ('parked_limit', models.PositiveSmallIntegerField(default=5, validators=[django.core.validators.MaxValueValidator(50)])),
                ('skips_before_pause', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(100)])),
                ('claim_days', models.PositiveSmallIntegerField(default=14, help_text='Days after a decision in which it can be disputed; 0 disables disputes.', validators=[django.core.validators.MaxValueValidator(365)])),
                ('context_threshold', models.FloatField(db_default=0.1, default=0.1, help_text='TF-IDF similarity from which a context paragraph is shown to writers (ASQA).', validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)])),
                ('pay_floor', models.DecimalField(decimal_places=2, help_text='People who earn less per active hour are flagged; null flags no one.', max_digits=8, null=True)),
                ('pay_floor_currency', models.CharField(db_default='USD', default='USD', max_length=3)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('pay_floor__isnull', True), ('pay_floor__gt', 0), _connector='OR'), name='project_pay_floor_positive'), models.CheckConstraint(condition=models.Q(('context_threshold__gte', 0), ('context_threshold__lte', 1)), name='project_context_threshold_a_share'), models.CheckConstraint(condition=models.Q(('protocol', ''), _negated=True), name='project_protocol_named'), models.CheckConstraint(condition=models.Q(('state__in', ['running', 'paused', 'closed', 'archived'])), name='project_state_known')],
            },
        ),
        migrations.CreateModel(
            name='Guideline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guidelines', to='annotation.project')),
                ('version', models.PositiveIntegerField()),
                ('body', models.TextField()),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'version'), name='guideline_version_unique'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='guideline_version_from_one')],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='annotation.project')),
                ('kind', models.CharField(max_length=40)),
                ('state', models.CharField(choices=[('queued', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=9)),
                ('options', models.JSONField(default=dict, help_text='Options chosen when it was started.')),
                ('file', models.FileField(blank=True, max_length=500, upload_to='jobs/')),
                ('file_name', models.CharField(blank=True, help_text='Name of the uploaded file.', max_length=255)),
                ('done', models.BigIntegerField(default=0, help_text='Units finished; a restarted job continues from here.')),
                ('total', models.BigIntegerField(help_text='Units in all, when known.', null=True)),
                ('unit', models.CharField(default='lines', max_length=20)),
                ('result', models.JSONField(default=dict)),
                ('log', models.JSONField(default=list, help_text='What its workers noted: [time, sentence].')),
                ('problem', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(null=True)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('cancel_asked_at', models.DateTimeField(null=True)),
                ('undone_at', models.DateTimeField(help_text='When the questions that an import created were deleted again.', null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['heartbeat_at'], name='job_unfinished'), models.Index(fields=['project', '-id'], name='job_newest_of_project')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'running', 'done', 'failed', 'cancelled'])), name='job_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('state__in', ['queued', 'running'])), models.Q(models.Q(('state__in', ['queued', 'running']), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='job_ended_iff_over'), models.CheckConstraint(condition=models.Q(('undone_at__isnull', True), ('ended_at__isnull', False), _connector='OR'), name='job_undone_once_over'), models.UniqueConstraint(condition=models.Q(('kind__in', ['agreement', 'report', 'study_results']), ('state__in', ['queued', 'running'])), fields=('project', 'kind', 'options'), name='job_of_figures_once_while_unfinished')],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='annotation.project')),
                ('external_id', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('split', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                ('state', models.CharField(choices=[('imported', 'Imported'), ('generating', 'Being answered'), ('validating', 'Waiting for validation'), ('auto_accepted', 'Accepted, all answers match'), ('accepted', 'Accepted'), ('edited', 'Accepted with a change'), ('excluded', 'Excluded'), ('skipped', 'Skipped'), ('flagged', 'Concern raised')], default='imported', max_length=14)),
                ('priority', models.SmallIntegerField(choices=[(-1, 'First'), (0, 'Normal'), (1, 'Last')], db_default=0, default=0)),
                ('known_answers', models.JSONField(blank=True, default=list)),
                ('context', models.JSONField(blank=True, default=dict, help_text='Other fields of the imported record.')),
                ('created_at', models.DateTimeField()),
                ('job', models.ForeignKey(help_text='The import job that created it, if any.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='questions', to='annotation.job')),
            ],
            options={
                'indexes': [models.Index(fields=['project', 'split', 'state'], name='question_by_state'), models.Index(fields=['project', 'created_at', 'id'], name='question_in_order'), models.Index(fields=['project', 'state', 'created_at', 'id'], name='question_in_order_by_state')],
                'constraints': [models.UniqueConstraint(fields=('project', 'external_id'), name='question_external_id_unique'), models.CheckConstraint(condition=models.Q(('split__in', ['train', 'dev', 'test'])), name='question_split_known'), models.CheckConstraint(condition=models.Q(('state__in', ['imported', 'generating', 'validating', 'auto_accepted', 'accepted', 'edited', 'excluded', 'skipped', 'flagged'])), name='question_state_known'), models.CheckConstraint(condition=models.Q(('priority__in', [-1, 0, 1])), name='question_priority_known'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='question_text_not_empty'), models.CheckConstraint(condition=models.Q(('external_id', ''), _negated=True), name='question_id_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='ContextParagraph',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contexts', to='annotation.question')),
                ('position', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
                ('title', models.TextField()),
                ('path', models.TextField()),
                ('url', models.TextField(blank=True, db_default='', default='', help_text='On the real Wikipedia.')),
                ('rev_id', models.BigIntegerField(null=True)),
                ('score', models.FloatField()),
                ('shown', models.BooleanField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('question', 'position'), name='context_once_per_disambiguation'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='context_not_empty'), models.CheckConstraint(condition=models.Q(('score__gte', 0), ('score__lte', 1)), name='context_score_a_share')],
            },
        ),
        migrations.CreateModel(
            name='ContextSearch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='context_search', to='annotation.question')),
                ('fingerprint', models.CharField(help_text="MD5 of the question's disambiguations and pages.", max_length=32)),
                ('pages', models.PositiveSmallIntegerField(help_text='Number of pages to be read.')),
                ('missing', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, help_text='Titles that were not found.', size=None)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'context searches',
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotation.project')),
                ('role', models.CharField(choices=[('annotator', 'Annotator'), ('validator', 'Validator'), ('judge', 'Judge'), ('expert', 'Expert'), ('researcher', 'Researcher'), ('admin', 'Admin')], max_length=10)),
                ('paused_at', models.DateTimeField(blank=True, help_text='Gets no new work from then on, until staff resume it.', null=True)),
                ('pause_reason', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'project', 'role'), name='membership_once_per_role'), models.CheckConstraint(condition=models.Q(('role__in', ['annotator', 'validator', 'judge', 'expert', 'researcher', 'admin'])), name='membership_role_known'), django.contrib.postgres.constraints.ExclusionConstraint(expressions=[(models.Func(models.F('user'), models.F('user'), models.Value('[]'), function='int8range'), '&&'), (models.Func(models.F('project'), models.F('project'), models.Value('[]'), function='int8range'), '&&'), (models.Func(models.F('role'), template="(CASE %(expressions)s WHEN 'expert' THEN int4range(0, 4) WHEN 'annotator' THEN int4range(0, 1) WHEN 'validator' THEN int4range(1, 2) WHEN 'researcher' THEN int4range(2, 3) WHEN 'admin' THEN int4range(3, 4) END)"), '&&')], name='membership_experts_see_no_answers')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='annotation.project')),
                ('email', models.EmailField(max_length=254)),
                ('role', models.CharField(choices=[('annotator', 'Annotator'), ('validator', 'Validator'), ('judge', 'Judge'), ('expert', 'Expert'), ('researcher', 'Researcher'), ('admin', 'Admin')], max_length=10)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('accepted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('accepted_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('role__in', ['annotator', 'validator', 'judge', 'expert', 'researcher', 'admin'])), name='invitation_role_known'), models.CheckConstraint(condition=models.Q(models.Q(('accepted_at__isnull', True), ('accepted_by__isnull', True)), models.Q(('accepted_at__isnull', False), ('accepted_by__isnull', False)), _connector='OR'), name='invitation_accepted_by_iff_at'), models.UniqueConstraint(django.db.models.functions.text.Lower('email'), models.F('project'), models.F('role'), condition=models.Q(('accepted_at__isnull', True), ('revoked_at__isnull', True)), name='invitation_one_open_per_address_and_role')],
            },
        ),
        migrations.CreateModel(
            name='Qualification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualifications', to='annotation.project')),
                ('title', models.CharField(max_length=120)),
                ('about', models.TextField(blank=True, max_length=5000)),
                ('kind', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('closed', 'Closed')], default='draft', max_length=6)),
                ('guideline_version', models.PositiveIntegerField()),
                ('submit_at', models.PositiveSmallIntegerField(default=4, validators=[django.core.validators.MaxValueValidator(100)])),
                ('review_from', models.PositiveSmallIntegerField(default=7, validators=[django.core.validators.MaxValueValidator(100)])),
                ('pass_at', models.PositiveSmallIntegerField(default=8, validators=[django.core.validators.MaxValueValidator(100)])),
                ('instant_feedback', models.BooleanField(default=True)),
                ('by_hand', models.BooleanField(default=False)),
                ('walk_through', models.BooleanField(db_default=False, default=False)),
                ('show_question_score', models.BooleanField(default=False)),
                ('max_attempts', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MaxValueValidator(100)])),
                ('days_between', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(365)])),
                ('rules', models.JSONField(blank=True, default=list)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('project', 'title'), name='qualification_title_unique'), models.CheckConstraint(condition=models.Q(('kind', ''), _negated=True), name='qualification_kind_named'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'long_answer'), _negated=True), models.Q(('by_hand', True), ('instant_feedback', False)), _connector='OR'), name='qualification_long_answers_by_hand'), models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'open', 'closed'])), name='qualification_state_known'), models.CheckConstraint(condition=models.Q(('submit_at__lte', models.F('review_from')), ('review_from__lte', models.F('pass_at')), ('pass_at__gte', 1)), name='qualification_marks_in_order')],
            },
        ),
        migrations.CreateModel(
            name='StagePolicy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='policies', to='annotation.project')),
                ('stage', models.CharField(max_length=20)),
                ('split', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                ('people', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(25)])),
                ('lease_minutes', models.PositiveIntegerField(default=120, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)])),
                ('park_hours', models.PositiveIntegerField(default=24, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(720)])),
                ('minimum_seconds', models.PositiveIntegerField(default=60, validators=[django.core.validators.MaxValueValidator(3600)])),
                ('pay_basis', models.CharField(choices=[('unit', 'For each question submitted'), ('hour', 'For each active hour')], db_default='unit', default='unit', max_length=4)),
                ('pay', models.DecimalField(decimal_places=2, default=0, help_text='Per question or active hour.', max_digits=8)),
                ('pay_accepted', models.DecimalField(db_default=0, decimal_places=2, default=0, help_text='More per question, when the work is accepted.', max_digits=8)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('inputs', models.CharField(choices=[('full', 'Everything known: disambiguations, paragraphs, pages'), ('question', 'Only the question')], db_default='full', default='full', help_text='What writers of long answers are given (S9).', max_length=8)),
                ('suggestions', models.CharField(blank=True, db_default='', default='', help_text='The system whose suggestions people see; empty shows none.', max_length=80)),
                ('suggestions_held_out', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Per cent of the questions that show none, to measure anchoring.', validators=[django.core.validators.MaxValueValidator(100)])),
                ('qualification', models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='policies', to='annotation.qualification')),
            ],
            options={
                'verbose_name_plural': 'stage policies',
                'ordering': ['stage', 'split'],
                'constraints': [models.UniqueConstraint(fields=('project', 'stage', 'split'), name='policy_once_per_stage_and_split'), models.CheckConstraint(condition=models.Q(('people__gte', 1), ('people__lte', 25)), name='policy_people_1_to_25'), models.CheckConstraint(condition=models.Q(('lease_minutes__gte', 1)), name='policy_lease_at_least_a_minute'), models.CheckConstraint(condition=models.Q(('pay__gte', 0)), name='policy_pay_not_negative'), models.CheckConstraint(condition=models.Q(('pay_basis__in', ['unit', 'hour'])), name='policy_pay_basis_known'), models.CheckConstraint(condition=models.Q(('pay_accepted__gte', 0)), name='policy_pay_accepted_not_negative'), models.CheckConstraint(condition=models.Q(('stage', ''), _negated=True), name='policy_stage_named'), models.CheckConstraint(condition=models.Q(('inputs__in', ['full', 'question'])), name='policy_inputs_known'), models.CheckConstraint(condition=models.Q(('suggestions_held_out__lte', 100)), name='policy_held_out_a_percentage')],
            },
        ),
        migrations.CreateModel(
            name='Task',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('policy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='annotation.stagepolicy')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='annotation.question')),
                ('unit', models.CharField(blank=True, help_text='Which part of the question, where a stage has several.', max_length=60)),
                ('seats', models.PositiveSmallIntegerField()),
                ('position', models.BigIntegerField(help_text="The question's id and PRIORITY_STEP times its priority: smaller comes first.")),
                ('slot', models.BigIntegerField(help_text='Its place among the tasks of its position, where that is not the one of its id: a gold item comes among those that were made before it.', null=True)),
                ('people', models.PositiveSmallIntegerField(help_text='How many people it asks for, whatever its policy says.', null=True)),
                ('barred', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), db_default=[], default=list, help_text='The ids of people who never get it, such as the author of a text to judge.', size=None)),
                ('after', models.ForeignKey(help_text='Only people who have submitted this task get the other one.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='followed_by', to='annotation.task')),
                ('gold', models.BooleanField(db_default=False, default=False, help_text='A gold item: handed out as any other, but never data.')),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(models.F('policy'), models.F('position'), django.db.models.functions.comparison.Coalesce('slot', 'id'), models.F('id'), condition=models.Q(('seats__gt', 0)), name='task_open_by_position')],
                'constraints': [models.UniqueConstraint(fields=('question', 'policy', 'unit'), name='task_once_per_question_and_unit'), models.CheckConstraint(condition=models.Q(('seats__gte', 0)), name='task_seats_not_negative'), models.CheckConstraint(condition=models.Q(('after__isnull', True), models.Q(('after', models.F('id')), _negated=True), _connector='OR'), name='task_not_after_itself')],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.task')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.project')),
                ('policy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.stagepolicy')),
                ('stage', models.CharField(max_length=20)),
                ('position', models.BigIntegerField()),
                ('state', models.CharField(choices=[('active', 'In work'), ('parked', 'Parked'), ('submitted', 'Submitted'), ('expired', 'Time ended'), ('returned', 'Released'), ('skipped', 'Skipped')], default='active', max_length=9)),
                ('started_at', models.DateTimeField()),
                ('lease_ends_at', models.DateTimeField(help_text='While active or parked: when the seat is given back automatically.', null=True)),
                ('ended_at', models.DateTimeField(help_text='When it left active and parked.', null=True)),
                ('submitted_at', models.DateTimeField(null=True)),
                ('handed_over_at', models.DateTimeField(help_text='When the steps after a submission were done; a sweep repeats missing ones.', null=True)),
                ('draft', models.JSONField(blank=True, default=dict)),
                ('draft_version', models.PositiveIntegerField(default=0)),
                ('draft_saved_at', models.DateTimeField(null=True)),
                ('steps', models.JSONField(blank=True, db_default={}, default=dict, help_text='How far a sheet of several steps is, as annotation.sheets.steps writes it.')),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('seen_at', models.DateTimeField(help_text='Last sign of the person; active time is counted on it.')),
                ('guideline_version', models.PositiveIntegerField(default=0)),
                ('inputs', models.CharField(choices=[('full', 'Everything known: disambiguations, paragraphs, pages'), ('question', 'Only the question')], db_default='full', default='full', help_text="What a writer of long answers was given: the policy's when it was taken (S9).", max_length=8)),
                ('limit_ends_at', models.DateTimeField(help_text='When the time limit of its stage ends, counted from when it was taken.', null=True)),
                ('at_limit', models.JSONField(blank=True, db_default={}, default=dict, help_text='What happened at the end of the limit: who submitted it (by), how late the text was (late_seconds), and text that came too late to be submitted (left_out).')),
                ('pay', models.DecimalField(decimal_places=2, default=0, max_digits=8)),
                ('pay_accepted', models.DecimalField(db_default=0, decimal_places=2, default=0, max_digits=8)),
                ('currency', models.CharField(blank=True, db_default='', default='', max_length=3)),
                ('skip_reason', models.CharField(blank=True, choices=[('not_in_wikipedia', 'The answer is not in Wikipedia'), ('ill_formed', 'It is not a proper question'), ('subjective', 'It depends on opinion'), ('too_ambiguous', 'It could mean too many things')], max_length=16)),
                ('park_reason', models.CharField(blank=True, max_length=500)),
                ('feedback', models.TextField(blank=True)),
                ('staff_note', models.TextField(blank=True)),
                ('returned_at', models.DateTimeField(blank=True, help_text='When the team returned it to its author, until it is submitted again.', null=True)),
                ('used', models.BooleanField(default=True, help_text='False: paid, but left out of the data.')),
                ('gold', models.BooleanField(db_default=False, default=False, help_text='Copied from the task: never data.')),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'policy', '-id'], name='assignment_last_position'), models.Index(condition=models.Q(('state__in', ['active', 'parked'])), fields=['policy', 'lease_ends_at'], name='assignment_lease_end'), models.Index(condition=models.Q(('limit_ends_at__isnull', False), ('state__in', ['active', 'parked'])), fields=['limit_ends_at'], name='assignment_limit_end'), models.Index(fields=['user', 'state', '-id'], name='assignment_mine_by_state'), models.Index(fields=['project', '-id'], name='assignment_of_project'), models.Index(fields=['user', '-id'], name='assignment_of_person'), models.Index(condition=models.Q(('state', 'submitted')), fields=['user', '-submitted_at', 'project'], name='assignment_mine_submitted'), models.Index(condition=models.Q(('state__in', ['expired', 'returned', 'skipped'])), fields=['user', '-ended_at'], name='assignment_mine_left'), models.Index(condition=models.Q(('state', 'submitted')), fields=['policy', 'id'], name='assignment_submitted'), models.Index(condition=models.Q(('state', 'submitted')), fields=['policy', '-submitted_at'], name='assignment_lately_submitted'), models.Index(condition=models.Q(('handed_over_at__isnull', True), ('state', 'submitted')), fields=['submitted_at'], name='assignment_not_handed_over')],
                'constraints': [models.UniqueConstraint(fields=('task', 'user'), name='assignment_once_per_person'), models.UniqueConstraint(condition=models.Q(('state', 'active')), fields=('user', 'project', 'stage'), name='assignment_one_active_per_stage'), models.CheckConstraint(condition=models.Q(('state__in', ['active', 'parked', 'submitted', 'expired', 'returned', 'skipped'])), name='assignment_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('lease_ends_at__isnull', False), ('state__in', ['active', 'parked'])), models.Q(models.Q(('state__in', ['active', 'parked']), _negated=True), ('lease_ends_at__isnull', True)), _connector='OR'), name='assignment_lease_iff_held'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('state__in', ['active', 'parked'])), models.Q(models.Q(('state__in', ['active', 'parked']), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='assignment_ended_iff_not_held'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'submitted'), ('submitted_at__isnull', False)), models.Q(models.Q(('state', 'submitted'), _negated=True), ('submitted_at__isnull', True)), _connector='OR'), name='assignment_submitted_at_iff_submitted'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'submitted'), _negated=True), ('returned_at__isnull', True), _connector='OR'), name='assignment_returned_until_submitted'), models.CheckConstraint(condition=models.Q(('gold', False), ('used', False), _connector='OR'), name='assignment_gold_is_never_data'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'skipped'), models.Q(('skip_reason', ''), _negated=True)), models.Q(models.Q(('state', 'skipped'), _negated=True), ('skip_reason', '')), _connector='OR'), name='assignment_skip_reason_iff_skipped')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='annotation.assignment')),
                ('kind', models.CharField(choices=[('search', 'Search'), ('page_open', 'Page opened'), ('page_close', 'Page closed'), ('find_in_page', 'Find in page'), ('external_click', 'External link'), ('quote', 'Quote'), ('warning_shown', 'Warning shown'), ('warning_kept', 'Warning kept')], max_length=14)),
                ('at', models.DateTimeField(help_text='When it happened; it may have been written later.')),
                ('data', models.JSONField(default=dict)),
                ('key', models.CharField(blank=True, db_default='', default='', editable=False, help_text='Chosen by the browser, so that a report sent twice counts once.', max_length=40)),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['assignment', 'id'], name='event_by_assignment')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('key', ''), _negated=True), fields=('assignment', 'key'), name='event_reported_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['search', 'page_open', 'page_close', 'find_in_page', 'external_click', 'quote', 'warning_shown', 'warning_kept'])), name='event_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='submission', to='annotation.assignment')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='annotation.question')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                ('stage', models.CharField(max_length=20)),
                ('response', models.JSONField()),
                ('keeps', models.JSONField(blank=True, default=list)),
                ('created_at', models.DateTimeField()),
                ('quotes', models.ManyToManyField(related_name='submissions', to='wikipedia.quote')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('stage', ''), _negated=True), name='submission_of_a_stage'), models.CheckConstraint(condition=django.db.models.lookups.Exact(models.Func(models.F('response'), function='jsonb_typeof', output_field=models.CharField()), models.Value('object')), name='submission_response_is_an_object')],
            },
        ),
        migrations.CreateModel(
            name='Thread',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='threads', to='annotation.assignment')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='threads', to='annotation.project')),
                ('kind', models.CharField(choices=[('claim', 'Claim'), ('question', 'Question'), ('park', 'Question on parked work'), ('feedback', 'Feedback')], max_length=8)),
                ('state', models.CharField(choices=[('open', 'Open'), ('answered', 'Answered'), ('changed', 'Result changed'), ('upheld', 'Result upheld'), ('withdrawn', 'Withdrawn'), ('closed', 'Closed')], default='open', max_length=9)),
                ('waiting_since', models.DateTimeField()),
                ('closed_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['project', 'waiting_since'], name='thread_open_of_project')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('assignment', 'kind'), name='thread_one_open_per_assignment_and_kind'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'claim'), ('state__in', ['open', 'changed', 'upheld', 'withdrawn'])), models.Q(('kind__in', ['question', 'park']), ('state__in', ['open', 'answered', 'withdrawn'])), models.Q(('kind', 'feedback'), ('state', 'closed')), _connector='OR'), name='thread_state_fits_kind'), models.UniqueConstraint(condition=models.Q(('kind', 'feedback')), fields=('assignment',), name='thread_one_of_feedback_per_assignment'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('closed_at__isnull', False)), _connector='OR'), name='thread_closed_at_iff_closed')],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='annotation.thread')),
                ('by_staff', models.BooleanField()),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('receiver', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tag', models.CharField(blank=True, max_length=20)),
                ('text', models.TextField(blank=True)),
                ('created_at', models.DateTimeField()),
                ('read_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('tag', ''), ('text', ''), _negated=True), name='message_not_empty'), models.CheckConstraint(condition=models.Q(models.Q(('by_staff', True), ('receiver__isnull', False)), models.Q(('by_staff', False), ('receiver__isnull', True)), _connector='OR'), name='message_receiver_iff_by_staff'), models.UniqueConstraint(condition=models.Q(('text', ''), models.Q(('tag', ''), _negated=True)), fields=('thread', 'tag'), name='message_quick_tag_once')],
            },
        ),
        migrations.CreateModel(
            name='FaqEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='faq', to='annotation.project')),
                ('question', models.CharField(max_length=300)),
                ('answer', models.TextField(max_length=20000)),
                ('position', models.PositiveIntegerField()),
                ('thread', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='faq_entry', to='annotation.thread')),
                ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'FAQ entry',
                'verbose_name_plural': 'FAQ entries',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(deferrable=django.db.models.constraints.Deferrable['DEFERRED'], fields=('project', 'position'), name='faq_position_unique'), models.CheckConstraint(condition=models.Q(('question', ''), _negated=True), name='faq_question_not_empty'), models.CheckConstraint(condition=models.Q(('answer', ''), _negated=True), name='faq_answer_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='StoredFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stored_figures', to='annotation.project')),
                ('report', models.CharField(max_length=40)),
                ('subject', models.CharField(blank=True, default='', max_length=20)),
                ('filters', models.CharField(blank=True, default='', max_length=200)),
                ('figures', models.JSONField(help_text='By part of the report, as its function gives it.')),
                ('data_state', models.CharField(max_length=80)),
                ('seconds', models.FloatField(help_text='How long it took to count them.')),
                ('counted_at', models.DateTimeField()),
                ('asked_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name_plural': 'stored figures',
                'constraints': [models.UniqueConstraint(fields=('project', 'report', 'subject', 'filters'), name='stored_figures_once_a_report')],
            },
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='annotation', to='annotation.assignment')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='annotation.question')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('multiple', 'Several answers'), ('single', 'One clear answer'), ('none', 'Not found')], max_length=8)),
                ('none_reason', models.TextField(blank=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['multiple', 'single', 'none'])), name='annotation_kind_known'), models.CheckConstraint(condition=models.Q(('kind', 'none'), ('none_reason', ''), _connector='OR'), name='annotation_reason_only_if_none')],
            },
        ),
        migrations.CreateModel(
            name='KeptWarning',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='kept_warnings', to='annotation.annotation')),
                ('rule', models.CharField(max_length=40)),
                ('field', models.CharField(max_length=60)),
                ('reason', models.TextField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('annotation', 'rule', 'field'), name='kept_warning_once_per_field'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='kept_warning_has_reason')],
            },
        ),
        migrations.CreateModel(
            name='GoldPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold_plans', to='annotation.project')),
                ('stage', models.CharField(max_length=20)),
                ('rate', models.PositiveSmallIntegerField(default=0, help_text='Per cent of the work handed out; 0 mixes nothing in.', validators=[django.core.validators.MaxValueValidator(50)])),
                ('source', models.CharField(choices=[('copies', 'Known-wrong copies of open work'), ('finished', 'Finished questions'), ('both', 'Half of each')], default='copies', max_length=8)),
                ('seed', models.BigIntegerField()),
                ('enough', models.PositiveSmallIntegerField(default=5, validators=[django.core.validators.MinValueValidator(1)])),
                ('missed', models.PositiveSmallIntegerField(blank=True, default=3, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('share', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('pauses', models.BooleanField(default=True, help_text='False: people are flagged on the page, and go on working.')),
                ('drawn_until', models.BigIntegerField(default=0, help_text='Tasks up to this id have been looked at with the present settings.')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'stage'), name='gold_plan_once_per_stage'), models.CheckConstraint(condition=models.Q(('stage', ''), _negated=True), name='gold_plan_of_a_stage'), models.CheckConstraint(condition=models.Q(('rate__lte', 50)), name='gold_plan_rate_at_most_half'), models.CheckConstraint(condition=models.Q(('source__in', ['copies', 'finished', 'both'])), name='gold_plan_source_known'), models.CheckConstraint(condition=models.Q(('enough__gte', 1), models.Q(('missed__isnull', True), ('missed__gte', 1), _connector='OR'), models.Q(('share__isnull', True), models.Q(('share__gte', 1), ('share__lte', 100)), _connector='OR')), name='gold_plan_rule_in_range')],
            },
        ),
        migrations.CreateModel(
            name='GoldItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.goldplan')),
                ('kind', models.CharField(choices=[('copy', 'Known-wrong copy'), ('finished', 'Finished question'), ('check', 'Attention check')], max_length=8)),
                ('task', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='gold_item', to='annotation.task')),
                ('host', models.OneToOneField(help_text='The ordinary task it is handed out next to.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='gold_beside', to='annotation.task')),
                ('unit', models.CharField(blank=True, help_text='The unit that its page shows; of a check, its digest.', max_length=60)),
                ('content', models.JSONField(default=dict)),
                ('expected', models.JSONField(default=dict)),
                ('origin', models.ForeignKey(help_text='The question that its content comes from.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.question')),
                ('origin_unit', models.CharField(blank=True, db_default='', help_text='Of which unit its content is.', max_length=60)),
                ('created_at', models.DateTimeField()),
                ('retired_at', models.DateTimeField(help_text='Not handed out from then on.', null=True)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['copy', 'finished', 'check'])), name='gold_item_kind_known'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'check'), ('task__isnull', True)), models.Q(models.Q(('kind', 'check'), _negated=True), ('task__isnull', False)), _connector='OR'), name='gold_item_task_unless_check'), models.CheckConstraint(condition=models.Q(('host__isnull', True), models.Q(('host', models.F('task')), _negated=True), _connector='OR'), name='gold_item_not_beside_itself'), models.UniqueConstraint(condition=models.Q(('kind', 'check')), fields=('plan', 'unit'), name='gold_check_once_per_wording')],
            },
        ),
        migrations.CreateModel(
            name='GoldVerdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='annotation.golditem')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='annotation.goldplan')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='gold_verdicts', to=settings.AUTH_USER_MODEL)),
                ('assignment', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='gold_verdict', to='annotation.assignment')),
                ('given', models.CharField(blank=True, help_text='The answer to a check.', max_length=300)),
                ('missed', models.BooleanField(help_text='Null: the judge could not decide.', null=True)),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['user', 'plan', 'id'], name='gold_verdict_of_person')],
                'constraints': [models.UniqueConstraint(fields=('item', 'user'), name='gold_verdict_once_per_person')],
            },
        ),
        migrations.CreateModel(
            name='GoldFlag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='flags', to='annotation.goldplan')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gold_flags', to=settings.AUTH_USER_MODEL)),
                ('verdict', models.OneToOneField(help_text='The last one counted.', on_delete=django.db.models.deletion.CASCADE, related_name='flag', to='annotation.goldverdict')),
                ('seen', models.PositiveIntegerField()),
                ('missed', models.PositiveIntegerField()),
                ('paused', models.BooleanField(help_text='Whether it stopped them from getting work.')),
                ('at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('missed__gte', 1), ('missed__lte', models.F('seen'))), name='gold_flag_missed_some')],
            },
        ),
        migrations.CreateModel(
            name='Concern',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='concerns', to='annotation.question')),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='concerns', to='annotation.assignment')),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='concerns', to=settings.AUTH_USER_MODEL)),
                ('disambiguations', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, size=None)),
                ('reason', models.TextField()),
                ('state', models.CharField(choices=[('open', 'Open'), ('upheld', 'Question excluded'), ('dismissed', 'Question kept'), ('withdrawn', 'Withdrawn')], default='open', max_length=9)),
                ('note', models.TextField(blank=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_at', models.DateTimeField(null=True)),
                ('read_at', models.DateTimeField(help_text='When its author read the decision.', null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(condition=models.Q(('state__in', ['open', 'upheld'])), fields=['question'], name='concern_that_rules')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['open', 'upheld', 'dismissed', 'withdrawn'])), name='concern_state_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='concern_has_reason'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True), ('state__in', ['open', 'withdrawn'])), models.Q(('decided_at__isnull', False), ('decided_by__isnull', False), ('state__in', ['upheld', 'dismissed'])), _connector='OR'), name='concern_decided_iff_ruled'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'upheld'), _negated=True), models.Q(('note', ''), _negated=True), _connector='OR'), name='concern_upheld_has_note'), models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('question', 'author'), name='concern_one_open_per_question_and_author')],
            },
        ),
        migrations.CreateModel(
            name='LongAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='long_answers', to='annotation.question')),
                ('assignment', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='long_answer', to='annotation.assignment')),
                ('author', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='long_answers', to=settings.AUTH_USER_MODEL)),
                ('text', models.TextField()),
                ('keeps', models.JSONField(blank=True, default=list)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='long_answer_not_empty'), models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', True), ('author__isnull', True)), models.Q(('assignment__isnull', False), ('author__isnull', False)), _connector='OR'), name='long_answer_author_iff_assignment')],
            },
        ),
        migrations.CreateModel(
            name='Knowledge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('long_answer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='knowledge', to='annotation.longanswer')),
                ('position', models.PositiveSmallIntegerField()),
                ('content', models.TextField(null=True)),
                ('page', models.TextField(help_text='Title of the article.', null=True)),
                ('quote', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='knowledge', to='wikipedia.quote')),
                ('more_quotes', models.ManyToManyField(related_name='more_knowledge', to='wikipedia.quote')),
            ],
            options={
                'verbose_name_plural': 'knowledge',
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('long_answer', 'position'), name='knowledge_position_unique')],
            },
        ),
        migrations.CreateModel(
            name='Override',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('long_answer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='overrides', to='annotation.longanswer')),
                ('disambiguation', models.PositiveSmallIntegerField()),
                ('words', models.TextField()),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
            ],
            options={
                'ordering': ['disambiguation'],
                'constraints': [models.UniqueConstraint(fields=('long_answer', 'disambiguation'), name='override_once_per_disambiguation'), models.CheckConstraint(condition=models.Q(('words', ''), _negated=True), name='override_words_not_empty'), models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='override_span_in_order')],
            },
        ),
        migrations.CreateModel(
            name='PayEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pay_entries', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pay_entries', to='annotation.project')),
                ('assignment', models.ForeignKey(help_text='The work it is for; null if staff posted it.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pay_entries', to='annotation.assignment')),
                ('kind', models.CharField(choices=[('submitted', 'Submitted'), ('accepted', 'Accepted'), ('correction', 'Correction'), ('bonus', 'Bonus')], max_length=10)),
                ('number', models.PositiveSmallIntegerField(null=True)),
                ('amount', models.DecimalField(decimal_places=2, max_digits=10)),
                ('currency', models.CharField(max_length=3)),
                ('units', models.SmallIntegerField(default=0, help_text='Questions: 1, or -1 when taken back.')),
                ('seconds', models.IntegerField(default=0, help_text='Active seconds, negative when taken back.')),
                ('note', models.TextField(blank=True)),
                ('by', models.ForeignKey(help_text='The member of staff who posted it; null if it was posted automatically.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField()),
                ('corrects', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corrected_by', to='annotation.payentry')),
                ('key', models.UUIDField(help_text='Key of the form, so that sending it twice posts one entry.', null=True, unique=True)),
            ],
            options={
                'verbose_name': 'pay entry',
                'verbose_name_plural': 'pay entries',
                'ordering': ['id'],
                'indexes': [models.Index(fields=['user', 'at'], name='pay_by_person'), models.Index(fields=['project', 'at'], name='pay_by_project')],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'kind', 'number'), name='pay_posted_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['submitted', 'accepted', 'correction', 'bonus'])), name='pay_kind_known'), models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='pay_amount_not_zero'), models.CheckConstraint(condition=models.Q(('currency__regex', '^[A-Z]{3}$')), name='pay_currency_three_letters'), models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', False), ('kind__in', ('submitted', 'accepted')), ('number__isnull', False), ('by__isnull', True), ('key__isnull', True)), models.Q(('assignment__isnull', True), ('kind__in', ('correction', 'bonus')), ('number__isnull', True), ('by__isnull', False), ('key__isnull', False)), _connector='OR'), name='pay_work_by_the_machine_rest_by_staff'), models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ('correction', 'bonus')), _negated=True), models.Q(('note', ''), _negated=True), _connector='OR'), name='pay_correction_has_reason'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'bonus'), _negated=True), models.Q(('amount__gt', 0), ('corrects__isnull', True)), _connector='OR'), name='pay_bonus_is_positive'), models.CheckConstraint(condition=models.Q(('corrects__isnull', True), models.Q(('corrects', models.F('id')), _negated=True), _connector='OR'), name='pay_corrects_another')],
            },
        ),
        migrations.CreateModel(
            name='QualificationItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('qualification', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.qualification')),
                ('part', models.CharField(choices=[('study', 'Self-study'), ('exam', 'Exam')], db_default='exam', default='exam', max_length=5)),
                ('position', models.PositiveIntegerField()),
                ('prompt', models.CharField(max_length=2000)),
                ('expected', models.JSONField(default=dict)),
                ('threshold', models.FloatField(default=1.0, validators=[django.core.validators.MinValueValidator(0.01), django.core.validators.MaxValueValidator(1.0)])),
                ('hint', models.TextField(blank=True, max_length=2000)),
                ('hint_seconds', models.PositiveIntegerField(default=120, validators=[django.core.validators.MaxValueValidator(3600)])),
                ('explanation', models.TextField(blank=True, max_length=5000)),
                ('pages', models.JSONField(blank=True, default=list)),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(deferrable=django.db.models.constraints.Deferrable['DEFERRED'], fields=('qualification', 'position'), name='qualification_item_position_unique'), models.CheckConstraint(condition=models.Q(('prompt', ''), _negated=True), name='qualification_item_prompt_not_empty'), models.CheckConstraint(condition=models.Q(('part__in', ['study', 'exam'])), name='qualification_item_part_known'), models.CheckConstraint(condition=models.Q(('threshold__gt', 0), ('threshold__lte', 1)), name='qualification_item_threshold_a_share')],
            },
        ),
        migrations.CreateModel(
            name='QualificationAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('qualification', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='annotation.qualification')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='qualification_attempts', to=settings.AUTH_USER_MODEL)),
                ('part', models.CharField(choices=[('study', 'Self-study'), ('exam', 'Exam')], db_default='exam', default='exam', max_length=5)),
                ('number', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('in_progress', 'In progress'), ('submitted', 'Submitted'), ('in_review', 'Under review'), ('passed', 'Passed'), ('failed', 'Not passed'), ('ended', 'Ended by the team')], default='in_progress', max_length=11)),
                ('guideline_version', models.PositiveIntegerField()),
                ('score', models.PositiveSmallIntegerField(null=True)),
                ('total', models.PositiveSmallIntegerField()),
                ('started_at', models.DateTimeField()),
                ('submitted_at', models.DateTimeField(null=True)),
                ('asked_at', models.DateTimeField(null=True)),
                ('asked', models.TextField(blank=True, max_length=2000)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('note', models.TextField(blank=True, max_length=5000)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('qualification', 'user', 'part', 'number'), name='attempt_number_once_per_part'), models.UniqueConstraint(condition=models.Q(('state', 'in_progress')), fields=('qualification', 'user'), name='attempt_one_in_progress'), models.CheckConstraint(condition=models.Q(('state__in', ['in_progress', 'submitted', 'in_review', 'passed', 'failed', 'ended'])), name='attempt_state_known'), models.CheckConstraint(condition=models.Q(('part', 'exam'), models.Q(('part', 'study'), ('state__in', ['in_progress', 'submitted', 'ended'])), _connector='OR'), name='attempt_study_decides_nothing'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['in_progress', 'ended']), ('submitted_at__isnull', True)), models.Q(('score__isnull', False), ('state__in', ['submitted', 'in_review', 'passed', 'failed']), ('submitted_at__isnull', False)), _connector='OR'), name='attempt_submitted_has_time_and_score')],
            },
        ),
        migrations.CreateModel(
            name='QualificationAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='annotation.qualificationattempt')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='answers', to='annotation.qualificationitem')),
                ('number', models.PositiveIntegerField()),
                ('draft', models.JSONField(blank=True, default=dict)),
                ('draft_version', models.PositiveIntegerField(default=0)),
                ('draft_saved_at', models.DateTimeField(null=True)),
                ('opened_at', models.DateTimeField(null=True)),
                ('handed_in_at', models.DateTimeField(null=True)),
                ('hint_at', models.DateTimeField(null=True)),
                ('checks', models.PositiveIntegerField(default=0)),
                ('checked', models.JSONField(blank=True, default=dict)),
                ('result', models.JSONField(blank=True, default=dict)),
                ('passed', models.BooleanField(null=True)),
                ('graded', models.BooleanField(null=True)),
                ('feedback', models.TextField(blank=True, max_length=5000)),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('attempt', 'item'), name='qualification_answer_once_per_item'), models.UniqueConstraint(fields=('attempt', 'number'), name='qualification_answer_number_unique'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='qualification_answer_number_from_one')],
            },
        ),
        migrations.CreateModel(
            name='WalkThrough',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('qualification', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='walk_throughs', to='annotation.qualification')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='walk_throughs', to=settings.AUTH_USER_MODEL)),
                ('held_on', models.DateField()),
                ('held_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('notes', models.TextField(blank=True, max_length=5000)),
                ('created_at', models.DateTimeField()),
                ('taken_back_at', models.DateTimeField(null=True)),
                ('taken_back_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('take_back_note', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('taken_back_at__isnull', True)), fields=('qualification', 'user'), name='walk_through_once_at_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('taken_back_at__isnull', True), ('taken_back_by__isnull', True)), models.Q(('taken_back_at__isnull', False), ('taken_back_by__isnull', False)), _connector='OR'), name='walk_through_taken_back_by_iff_at'), models.CheckConstraint(condition=models.Q(('user', models.F('held_by')), _negated=True), name='walk_through_held_by_somebody_else')],
            },
        ),
        migrations.CreateModel(
            name='Qualified',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('qualification', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualified', to='annotation.qualification')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualified', to=settings.AUTH_USER_MODEL)),
                ('attempt', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.qualificationattempt')),
                ('given_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('given_at', models.DateTimeField()),
                ('note', models.CharField(blank=True, max_length=500)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('revoked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('revoke_note', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'verbose_name_plural': 'qualified people',
                'constraints': [models.UniqueConstraint(condition=models.Q(('revoked_at__isnull', True)), fields=('qualification', 'user'), name='qualified_once_at_a_time'), models.CheckConstraint(condition=models.Q(('attempt__isnull', False), ('given_by__isnull', False), _connector='OR'), name='qualified_by_attempt_or_staff'), models.CheckConstraint(condition=models.Q(models.Q(('revoked_at__isnull', True), ('revoked_by__isnull', True)), models.Q(('revoked_at__isnull', False), ('revoked_by__isnull', False)), _connector='OR'), name='qualified_revoked_by_iff_at')],
            },
        ),
        migrations.CreateModel(
            name='Suggestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='suggestions', to='annotation.question')),
                ('system', models.CharField(help_text='The name of the system, as people read it.', max_length=80)),
                ('version', models.CharField(blank=True, max_length=80)),
                ('position', models.PositiveSmallIntegerField(help_text="Its place among the system's, from 0.")),
                ('kind', models.CharField(choices=[('pair', 'Question and answer'), ('answer', 'Answer'), ('passage', 'Passage'), ('long_answer', 'Long answer')], max_length=11)),
                ('content', models.JSONField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('question', 'system', 'version', 'position'), name='suggestion_once_per_position'), models.CheckConstraint(condition=models.Q(('system', ''), _negated=True), name='suggestion_system_named'), models.CheckConstraint(condition=models.Q(('kind__in', ['pair', 'answer', 'passage', 'long_answer'])), name='suggestion_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='QAPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='annotation.annotation')),
                ('position', models.PositiveSmallIntegerField()),
                ('question', models.TextField(blank=True)),
                ('suggestion', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='pairs', to='annotation.suggestion')),
            ],
            options={
                'verbose_name': 'question-answer pair',
                'ordering': ['position'],
                'indexes': [models.Index(condition=models.Q(('suggestion__isnull', False)), fields=['suggestion'], name='pair_of_suggestion')],
                'constraints': [models.UniqueConstraint(fields=('annotation', 'position'), name='pair_position_unique'), models.UniqueConstraint(condition=models.Q(('suggestion__isnull', False)), fields=('annotation', 'suggestion'), name='pair_once_per_suggestion')],
            },
        ),
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='annotation.qapair')),
                ('position', models.PositiveSmallIntegerField()),
                ('text', models.TextField()),
                ('quote', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='wikipedia.quote')),
                ('more_quotes', models.ManyToManyField(related_name='more_answers', to='wikipedia.quote')),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('pair', 'position'), name='answer_position_unique'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='answer_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='SuggestionUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='suggestion_uses', to='annotation.assignment')),
                ('suggestion', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='uses', to='annotation.suggestion')),
                ('fate', models.CharField(blank=True, choices=[('accepted', 'Accepted as it was'), ('edited', 'Accepted and edited'), ('dismissed', 'Dismissed')], default='', max_length=9)),
                ('reason', models.CharField(blank=True, default='', help_text='Why it was dismissed, if they said so.', max_length=20)),
                ('shown_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'suggestion'), name='suggestion_use_once'), models.CheckConstraint(condition=models.Q(('fate__in', ['', 'accepted', 'edited', 'dismissed'])), name='suggestion_fate_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('fate', '')), models.Q(models.Q(('fate', ''), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='suggestion_decided_iff_fate'), models.CheckConstraint(condition=models.Q(('reason', ''), ('fate', 'dismissed'), _connector='OR'), name='suggestion_reason_only_if_dismissed')],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='annotation.project')),
                ('url', models.CharField(max_length=500, verbose_name='address')),
                ('secret', models.CharField(help_text='Key of the signatures.', max_length=64)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField()),
                ('stopped_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('stopped_at__isnull', True)), fields=('project', 'url'), name='webhook_address_once')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='annotation.webhook')),
                ('key', models.UUIDField(default=uuid.uuid4, help_text='The same each time it is sent.', unique=True)),
                ('event', models.CharField(choices=[('question.accepted', 'Question accepted'), ('job.done', 'Job done'), ('test', 'Test')], max_length=20)),
                ('data', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('due_at', models.DateTimeField(help_text='When it is sent next; null once over.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('taken_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, help_text='Of the last attempt.', max_length=200)),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'indexes': [models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='delivery_due'), models.Index(fields=['webhook', '-id'], name='delivery_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('event__in', ['question.accepted', 'job.done', 'test'])), name='delivery_event_known'), models.CheckConstraint(condition=models.Q(('taken_at__isnull', True), ('due_at__isnull', True), _connector='OR'), name='delivery_over_once_taken')],
            },
        ),
        migrations.RunSQL(EVENTS, EVENTS_CHANGEABLE),
        migrations.RunSQL(LEDGER, LEDGER_CHANGEABLE),
        migrations.RunSQL(AUDIT, AUDIT_CHANGEABLE),
    ]
