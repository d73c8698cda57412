import django.db.models.functions.text
from django.db import migrations, models


# An address that was changed kept opening the account where allauth had written it down, and one
# that was changed to capitals opened it for nobody.
PUT_RIGHT = [
    "UPDATE accounts_user SET email = lower(email) WHERE email <> lower(email)",
    """
    DELETE FROM account_emailaddress a USING accounts_user u
    WHERE u.id = a.user_id AND a.email <> u.email
    """,
]


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_participants'),
        ('account', '0009_emailaddress_unique_primary_email'),
    ]

    operations = [
        migrations.RunSQL(PUT_RIGHT, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('email', django.db.models.functions.text.Lower('email'))), name='user_email_lower_case'),
        ),
    ]
