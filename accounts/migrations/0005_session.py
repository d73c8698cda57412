import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


# People stay signed in. Django reads the person of such a session in a second statement, until
# the session is saved again.
TAKE_OVER = """
    DO $$ BEGIN
        IF to_regclass('django_session') IS NOT NULL THEN
            INSERT INTO accounts_session (session_key, session_data, expire_date)
            SELECT session_key, session_data, expire_date FROM django_session
            WHERE expire_date > now();
            DROP TABLE django_session;
        END IF;
    END $$
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_squashed_0004_disambiguations_key'),
    ]

    operations = [
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
        migrations.RunSQL(TAKE_OVER, migrations.RunSQL.noop),
    ]
