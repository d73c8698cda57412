"""The pay ledger. The database itself refuses to change or delete an entry."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

APPEND_ONLY = """
CREATE FUNCTION pay_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'pay_append_only: an entry of the ledger is never changed or deleted'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'pay_append_only';
END $$;
CREATE TRIGGER pay_append_only BEFORE UPDATE OR DELETE ON annotation_payentry
    FOR EACH ROW EXECUTE FUNCTION pay_append_only();
"""
CHANGEABLE = """
DROP TRIGGER pay_append_only ON annotation_payentry;
DROP FUNCTION pay_append_only();
"""
# What was handed in before there was a ledger is owed as well.
BEFORE = """
UPDATE annotation_assignment a SET currency = p.currency
FROM annotation_stagepolicy p
WHERE p.id = a.policy_id AND a.state = 'submitted' AND a.pay <> 0;
INSERT INTO annotation_payentry
    (user_id, project_id, assignment_id, kind, number, amount, currency, units, seconds, note, at)
SELECT user_id, project_id, id, 'submitted', 1, pay, currency, 1, active_seconds, '', submitted_at
FROM annotation_assignment WHERE state = 'submitted' AND pay <> 0;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_qualification"),
        ("wikipedia", "0002_live_wikihost"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PayEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("submitted", "Submitted"),
                            ("accepted", "Accepted"),
                            ("correction", "Correction"),
                            ("bonus", "Bonus"),
                        ],
                        max_length=10,
                    ),
                ),
                ("number", models.PositiveSmallIntegerField(null=True)),
                ("amount", models.DecimalField(decimal_places=2, max_digits=10)),
                ("currency", models.CharField(max_length=3)),
                (
                    "units",
                    models.SmallIntegerField(
                        default=0, help_text="Questions: 1, or -1 when taken back."
                    ),
                ),
                (
                    "seconds",
                    models.IntegerField(
                        default=0, help_text="Active seconds, by their sign as units."
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
                (
                    "key",
                    models.UUIDField(
                        help_text="Of the form: sent twice, posted once.", null=True, unique=True
                    ),
                ),
            ],
            options={
                "verbose_name": "pay entry",
                "verbose_name_plural": "pay entries",
                "ordering": ["id"],
            },
        ),
        migrations.AddField(
            model_name="assignment",
            name="currency",
            field=models.CharField(blank=True, db_default="", default="", max_length=3),
        ),
        migrations.AddField(
            model_name="assignment",
            name="pay_accepted",
            field=models.DecimalField(db_default=0, decimal_places=2, default=0, max_digits=8),
        ),
        migrations.AddField(
            model_name="project",
            name="pay_floor",
            field=models.DecimalField(
                decimal_places=2,
                help_text="Whose effective hourly pay is below is flagged; none: nobody is.",
                max_digits=8,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="project",
            name="pay_floor_currency",
            field=models.CharField(db_default="USD", default="USD", max_length=3),
        ),
        migrations.AddField(
            model_name="stagepolicy",
            name="pay_accepted",
            field=models.DecimalField(
                db_default=0,
                decimal_places=2,
                default=0,
                help_text="More per question, when the work is accepted.",
                max_digits=8,
            ),
        ),
        migrations.AddField(
            model_name="stagepolicy",
            name="pay_basis",
            field=models.CharField(
                choices=[("unit", "For each question submitted"), ("hour", "For each active hour")],
                db_default="unit",
                default="unit",
                max_length=4,
            ),
        ),
        migrations.AlterField(
            model_name="stagepolicy",
            name="pay",
            field=models.DecimalField(
                decimal_places=2,
                default=0,
                help_text="Per question, or per active hour.",
                max_digits=8,
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("pay_floor__isnull", True), ("pay_floor__gt", 0), _connector="OR"
                ),
                name="project_pay_floor_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="stagepolicy",
            constraint=models.CheckConstraint(
                condition=models.Q(("pay_basis__in", ["unit", "hour"])),
                name="policy_pay_basis_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="stagepolicy",
            constraint=models.CheckConstraint(
                condition=models.Q(("pay_accepted__gte", 0)),
                name="policy_pay_accepted_not_negative",
            ),
        ),
        migrations.AddField(
            model_name="payentry",
            name="assignment",
            field=models.ForeignKey(
                help_text="The work it is for; none where staff posted it.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="pay_entries",
                to="annotation.assignment",
            ),
        ),
        migrations.AddField(
            model_name="payentry",
            name="by",
            field=models.ForeignKey(
                help_text="Who of the team posted it; none: the machine.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="payentry",
            name="corrects",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="corrected_by",
                to="annotation.payentry",
            ),
        ),
        migrations.AddField(
            model_name="payentry",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="pay_entries",
                to="annotation.project",
            ),
        ),
        migrations.AddField(
            model_name="payentry",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="pay_entries",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="payentry",
            index=models.Index(fields=["user", "at"], name="pay_by_person"),
        ),
        migrations.AddIndex(
            model_name="payentry",
            index=models.Index(fields=["project", "at"], name="pay_by_project"),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.UniqueConstraint(
                fields=("assignment", "kind", "number"), name="pay_posted_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["submitted", "accepted", "correction", "bonus"])),
                name="pay_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount", 0), _negated=True), name="pay_amount_not_zero"
            ),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("currency__regex", "^[A-Z]{3}$")),
                name="pay_currency_three_letters",
            ),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("assignment__isnull", False),
                        ("kind__in", ("submitted", "accepted")),
                        ("number__isnull", False),
                        ("by__isnull", True),
                        ("key__isnull", True),
                    ),
                    models.Q(
                        ("assignment__isnull", True),
                        ("kind__in", ("correction", "bonus")),
                        ("number__isnull", True),
                        ("by__isnull", False),
                        ("key__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="pay_work_by_the_machine_rest_by_staff",
            ),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ("correction", "bonus")), _negated=True),
                    models.Q(("note", ""), _negated=True),
                    _connector="OR",
                ),
                name="pay_correction_has_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "bonus"), _negated=True),
                    models.Q(("amount__gt", 0), ("corrects__isnull", True)),
                    _connector="OR",
                ),
                name="pay_bonus_is_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="payentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("corrects__isnull", True),
                    models.Q(("corrects", models.F("id")), _negated=True),
                    _connector="OR",
                ),
                name="pay_corrects_another",
            ),
        ),
        migrations.RunSQL(APPEND_ONLY, CHANGEABLE),
        migrations.RunSQL(BEFORE, migrations.RunSQL.noop),
    ]
