from django.db import migrations

NAMES = ("readings", "disambiguations")


def rename(apps, old, new):
    """Keep a key that somebody chose for going back to the disambiguations."""
    for user in apps.get_model("accounts", "User").objects.filter(keys__has_key=old):
        user.keys[new] = user.keys.pop(old)
        user.save(update_fields=["keys"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_keys")]

    operations = [
        migrations.RunPython(
            lambda apps, _: rename(apps, *NAMES), lambda apps, _: rename(apps, *NAMES[::-1])
        ),
    ]
