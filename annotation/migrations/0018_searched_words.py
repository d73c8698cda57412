"""Filters by words look through a column in capitals, which every question has from now on."""

from django.db import migrations, models
from django.db.models.functions import Concat, Upper


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_attempts_that_got_further'),
    ]

    operations = [
        migrations.AddField(
            model_name='question',
            name='search_text',
            field=models.GeneratedField(
                db_persist=True,
                expression=Upper(Concat(models.F('text'), models.Value('\n'), models.F('external_id'), output_field=models.TextField())),
                help_text='Text and id in capitals, which filters by words look through.',
                output_field=models.TextField(),
            ),
        ),
    ]
