import django.db.models.deletion
import django.db.models.functions.comparison
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True
    replaces = [
        ('wikipedia', '0001_initial'),
        ('wikipedia', '0002_live_wikihost'),
        ('wikipedia', '0003_quote_headers'),
        ('wikipedia', '0004_live_shown_html'),
        ('wikipedia', '0005_dates_of_archives'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='WikiHost',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('host', models.CharField(max_length=255, unique=True)),
                ('paused_until', models.DateTimeField(help_text='No request before this moment.')),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text='Failed requests in a row; each doubles the pause.')),
                ('requests_full_at', models.DateTimeField(help_text='When the bucket of requests is full again.', null=True)),
                ('pictures_full_at', models.DateTimeField(help_text='When the bucket of pictures is full again.', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=60, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('kind', models.CharField(choices=[('zim', 'ZIM archive'), ('live', 'Live MediaWiki')], max_length=8)),
                ('state', models.CharField(choices=[('indexing', 'Being indexed'), ('ready', 'Ready'), ('failed', 'Failed')], default='indexing', max_length=10)),
                ('problem', models.TextField(blank=True)),
                ('archive', models.CharField(blank=True, help_text='Path of the ZIM file.', max_length=1000)),
                ('address', models.URLField(blank=True, help_text="Live: the wiki's api.php. ZIM: where its articles live on the web.")),
                ('language', models.CharField(default='en', max_length=12)),
                ('as_of', models.DateField(help_text='The day this Wikipedia shows.')),
                ('licence', models.CharField(default='CC BY-SA', max_length=60)),
                ('articles', models.PositiveIntegerField(default=0)),
                ('passages', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['zim', 'live'])), name='snapshot_kind_known'), models.CheckConstraint(condition=models.Q(('state__in', ['indexing', 'ready', 'failed'])), name='snapshot_state_known'), models.CheckConstraint(condition=models.Q(('archive', ''), ('kind', 'zim'), _negated=True), name='snapshot_zim_has_archive'), models.CheckConstraint(condition=models.Q(('address', ''), ('kind', 'live'), _negated=True), name='snapshot_live_has_address')],
            },
        ),
        migrations.CreateModel(
            name='ShownPage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=1000)),
                ('title', models.CharField(max_length=500)),
                ('page_id', models.BigIntegerField(null=True)),
                ('rev_id', models.BigIntegerField(null=True)),
                ('rev_timestamp', models.DateTimeField(help_text='When the revision was saved, where the source says so.', null=True)),
                ('retrieved_at', models.DateTimeField()),
                ('url', models.URLField(blank=True, max_length=2000)),
                ('text', models.TextField()),
                ('text_sha256', models.CharField(max_length=64)),
                ('html', models.BinaryField(help_text='The safe HTML, compressed with zlib; none before it was kept.', null=True)),
                ('html_sha256', models.CharField(blank=True, max_length=64)),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='shown_pages', to='wikipedia.snapshot')),
            ],
        ),
        migrations.CreateModel(
            name='Quote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('section_path', models.JSONField(default=list, help_text='Headings from the top, outermost first.')),
                ('section_anchor', models.CharField(blank=True, max_length=300)),
                ('block_kind', models.CharField(choices=[('paragraph', 'Paragraph'), ('heading', 'Heading'), ('list', 'List'), ('table_cell', 'Table cell'), ('infobox', 'Infobox'), ('caption', 'Caption')], max_length=12)),
                ('headers', models.JSONField(blank=True, default=dict, help_text="Of a cell: the table's caption, and its row and column headers from outside in.")),
                ('exact', models.TextField()),
                ('prefix', models.CharField(blank=True, max_length=32)),
                ('suffix', models.CharField(blank=True, max_length=32)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('made_by', models.CharField(choices=[('selection', 'Selected in the article'), ('paste', 'Pasted and found again'), ('typed', 'Typed and found again'), ('suggestion', 'From a suggestion')], max_length=12)),
                ('created_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quotes', to=settings.AUTH_USER_MODEL)),
                ('page', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quotes', to='wikipedia.shownpage')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='quote_start_before_end'), models.CheckConstraint(condition=models.Q(('exact', ''), _negated=True), name='quote_not_empty')],
            },
        ),
        migrations.AddConstraint(
            model_name='shownpage',
            constraint=models.UniqueConstraint(models.F('snapshot'), models.F('path'), django.db.models.functions.comparison.Coalesce('rev_id', 0), models.F('text_sha256'), models.F('html_sha256'), name='shown_page_once_per_content'),
        ),
        migrations.AddConstraint(
            model_name='shownpage',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('html__isnull', True), ('html_sha256', '')), models.Q(('html__isnull', False), models.Q(('html_sha256', ''), _negated=True)), _connector='OR'), name='shown_page_html_with_hash'),
        ),
    ]
