"""What a database consists of, in lines that two databases can be compared by.

The order of columns and numbers of objects are left out: they say in which steps it was made.
"""

import os
import re
import sys
from difflib import unified_diff

import django
from django.db import connection

from config import embedded

# Of PostgreSQL's catalogs. Each statement gives lines.
STATEMENTS = (
    """
    SELECT format('relation %s kind %s persistence %s options %s rows secured %s replica %s',
        relname, relkind, relpersistence, reloptions, relrowsecurity, relreplident)
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
    """,
    """
    SELECT format('column %s.%s %s not null %s default %s identity %s generated %s %s %s %s',
        c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attstorage,
        a.attcollation::regcollation, a.attoptions)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind <> 'i'
        AND a.attnum > 0 AND NOT a.attisdropped
    """,
    """
    SELECT format('constraint %s on %s: %s valid %s', conname, conrelid::regclass,
        pg_get_constraintdef(oid), convalidated)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    """
    SELECT format('index %s valid %s clustered %s', pg_get_indexdef(indexrelid), indisvalid,
        indisclustered)
    FROM pg_index JOIN pg_class c ON c.oid = indexrelid
    WHERE c.relnamespace = 'public'::regnamespace
    """,
    """
    SELECT format('trigger %s enabled %s', pg_get_triggerdef(t.oid), tgenabled)
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT tgisinternal
    """,
    """
    SELECT format('routine %s', pg_get_functiondef(oid)) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
        AND NOT EXISTS (SELECT FROM pg_depend
            WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
    """,
    """
    SELECT format('sequence %s %s from %s by %s between %s and %s cycles %s', seqrelid::regclass,
        seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcycle)
    FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid
    WHERE c.relnamespace = 'public'::regnamespace
    """,
    """
    SELECT format('type %s %s %s', typname, typtype,
        (SELECT array_agg(enumlabel ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
    FROM pg_type t
    WHERE typnamespace = 'public'::regnamespace AND typtype IN ('d', 'e', 'r')
    """,
    """
    SELECT format('view %s: %s', viewname, definition) FROM pg_views WHERE schemaname = 'public'
    """,
    """
    SELECT format('policy %s on %s: %s %s %s', polname, polrelid::regclass, polcmd,
        pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
    FROM pg_policy
    """,
    """
    SELECT format('statistics %s', pg_get_statisticsobjdef(oid)) FROM pg_statistic_ext
    """,
    """
    SELECT format('comment %s: %s', pg_describe_object(classoid, objoid, objsubid), description)
    FROM pg_description WHERE objoid >= 16384
    """,
    "SELECT format('extension %s %s', extname, extversion) FROM pg_extension",
)
# What is put away while nobody works, and what says when a migration was applied.
FLEETING = {"accounts_session", "cache", "config_heartbeat", "django_migrations"}

LIST = re.compile(r"\(ARRAY\[((?:'(?:[^']|'')*'::character varying(?:, )?)+)\]\)::text\[\]")
TEXT = re.compile(r"'(?:[^']|'')*'::character varying")

# Restored rows keep their numbers; what a version adds to these is numbered in no order.
NUMBERED_ANYHOW = {
    "auth_permission": "SELECT p.name, p.codename, t.app_label, t.model FROM auth_permission p"
    " JOIN django_content_type t ON t.id = p.content_type_id",
    "django_content_type": "SELECT app_label, model FROM django_content_type",
}


def read_schema(cursor) -> list[str]:
    """Return a line for each thing that the database has besides rows."""
    lines = []
    for statement in STATEMENTS:
        cursor.execute(statement)
        lines += [LIST.sub(as_restored, line) for (line,) in cursor.fetchall()]
    return sorted(lines)


def as_restored(found: re.Match[str]) -> str:
    """Return a list of texts as PostgreSQL writes the same one once it was dumped and restored."""
    return f"ARRAY[{TEXT.sub(lambda text: f'({text[0]})::text', found[1])}]"


def compare_schemas(before: list[str], after: list[str]) -> list[str]:
    """Return the lines that only one of them has: “-” for the first, “+” for the second."""
    difference = unified_diff(before, after, lineterm="", n=0)
    return [line for line in difference if not line.startswith(("---", "+++", "@@"))]


def count_rows(cursor) -> list[str]:
    """Return a line for each table, with number and digest of its rows."""
    cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    lines = []
    for table in [name for (name,) in cursor.fetchall() if name not in FLEETING]:
        rows = NUMBERED_ANYHOW.get(table, f'SELECT * FROM "{table}"')  # noqa: S608
        cursor.execute(
            f"SELECT count(*), md5(string_agg(row::text, ' ' ORDER BY row::text)) "  # noqa: S608
            f"FROM ({rows}) AS row"
        )
        lines.append(" ".join(map(str, (table, *cursor.fetchone()))))
    return lines


def main(*rows: str) -> None:
    """Print the schema of the database that Django finds, or with an argument its rows."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    embedded.start_if_wanted()
    django.setup()
    with connection.cursor() as cursor:
        lines = count_rows(cursor) if rows else read_schema(cursor)
    print(*(" ".join(line.split()) for line in lines), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
