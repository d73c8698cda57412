import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('natural_questions', '0001_natural_questions'),
        ('natural_questions', '0002_imported_annotations'),
    ]

    dependencies = [
        ('annotation', '0001_squashed_0043_feedback_is_a_thread'),
    ]

    operations = [
        migrations.CreateModel(
            name='Page',
            fields=[
                ('question', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='natural_questions_page', serialize=False, to='annotation.question')),
                ('form', models.CharField(choices=[('simplified', 'simplified'), ('original', 'original')], max_length=10)),
                ('record', models.BinaryField(help_text='JSON, compressed with zlib.')),
                ('kinds', models.TextField(blank=True, default='', help_text='The kind of each candidate, a letter each.')),
                ('annotations', models.JSONField(blank=True, default=list, help_text='Those imported as accepted work, each apart.')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('form__in', ['simplified', 'original'])), name='page_form_known')],
            },
        ),
    ]
