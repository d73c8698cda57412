from hashlib import sha256

from django.conf import settings
from django.db import migrations


def name_the_institution(apps, schema_editor):
    """Keep accounts at the institution that is set now with its address (accounts/issuer.py).

    Where none is set they stay as they are, and are nobody's: people are known by their address
    again.
    """
    configured = settings.SOCIALACCOUNT_PROVIDERS.get('openid_connect', {}).get('APPS', [])
    if not configured:
        return
    address = configured[0]['settings']['server_url'].partition('/.well-known/')[0]
    mark = f'{sha256(address.encode()).hexdigest()[:16]}:'
    accounts = apps.get_model('socialaccount', 'SocialAccount').objects
    for account in accounts.exclude(uid__startswith=mark):
        uid = mark + sha256(account.uid.encode()).hexdigest()
        accounts.filter(pk=account.pk).update(uid=uid)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0008_one_address'),
        ('socialaccount', '0006_alter_socialaccount_extra_data'),
    ]

    operations = [
        migrations.RunPython(name_the_institution, migrations.RunPython.noop),
    ]
