from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('natural_questions', '0001_squashed_0002_imported_annotations'),
    ]

    operations = [
        migrations.AddField(
            model_name='page',
            name='prepared',
            field=models.BinaryField(help_text='The boxes and the HTML of a long page, signed.', null=True),
        ),
    ]
