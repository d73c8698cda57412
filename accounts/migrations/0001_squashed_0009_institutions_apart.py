import accounts.models
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('accounts', '0001_initial'),
        ('accounts', '0002_news_read_at'),
        ('accounts', '0003_keys'),
        ('accounts', '0004_disambiguations_key'),
        ('accounts', '0001_squashed_0004_disambiguations_key'),
        ('accounts', '0005_session'),
        ('accounts', '0006_erased_people'),
        ('accounts', '0007_participants'),
        ('accounts', '0008_one_address'),
        ('accounts', '0009_institutions_apart'),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                ('name', models.CharField(max_length=150)),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('single_keys', models.BooleanField(default=True, help_text='WCAG 2.1.4: can be switched off.', verbose_name='single-key shortcuts')),
                ('news_read_at', models.DateTimeField(editable=False, help_text='Up to when the news on home have been seen.', null=True)),
                ('keys', models.JSONField(blank=True, default=dict, help_text='Shortcuts on other keys; see accounts.shortcuts.')),
                ('erased_at', models.DateTimeField(editable=False, help_text='When name and address were erased. The work stays, under the pseudonym.', null=True)),
                ('is_participant', models.BooleanField(db_default=False, default=False, help_text='Came by a link of a crowd platform: has no address and no password.', verbose_name='participant')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_unique_any_case'), models.CheckConstraint(condition=models.Q(('email', django.db.models.functions.text.Lower('email'))), name='user_email_lower_case'), models.CheckConstraint(condition=django.db.models.lookups.Exact(models.Func(models.F('keys'), function='jsonb_typeof', output_field=models.TextField()), models.Value('object')), name='user_keys_object'), models.CheckConstraint(condition=models.Q(('erased_at__isnull', True), models.Q(('email__endswith', '@erased.invalid'), ('is_active', False), ('is_staff', False), ('is_superuser', False), ('last_login__isnull', True)), _connector='OR'), name='user_erased_is_nobody'), models.CheckConstraint(condition=models.Q(('is_participant', False), models.Q(('is_staff', False), ('is_superuser', False), ('password__startswith', '!')), _connector='OR'), name='user_participant_signs_in_by_link')],
            },
            managers=[
                ('objects', accounts.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
            },
        ),
    ]
