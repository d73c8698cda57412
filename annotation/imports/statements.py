"""SQL of imports: one at a time, and each id once a file."""

# Wait until no other import of the project is under way. A lock that no row has.
WAIT_FOR_TURN = "SELECT pg_advisory_xact_lock(%s, %s)"

# Lock the policies of a project, found by it, in the order of their keys.
LOCK_POLICIES = "SELECT 1 FROM annotation_stagepolicy WHERE project_id = %s ORDER BY id FOR SHARE"

# The ids and words that one pass over a file has seen, in tables of the connection.
DROP_SEEN = "DROP TABLE IF EXISTS import_seen, import_texts"
CREATE_SEEN = (
    "CREATE TEMPORARY TABLE import_seen "
    "(external_id text PRIMARY KEY, number bigint, line bigint, fingerprint bytea)"
)

# Remember ids; the first of several stays. By the key of the table.
INSERT_SEEN = (
    "INSERT INTO import_seen (external_id, number, line, fingerprint) "
    "SELECT * FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::bytea[]) "
    "ON CONFLICT (external_id) DO NOTHING"
)

# Read what was remembered of ids, by the key of the table.
FIND_SEEN = (
    "SELECT external_id, number, line, fingerprint FROM import_seen WHERE external_id = ANY(%s)"
)

CREATE_TEXTS = (
    "CREATE TEMPORARY TABLE import_texts "
    "(key text PRIMARY KEY, external_id text, split text, line bigint)"
)

# Have the questions of a project in the table, the oldest first: all of them are read.
INSERT_TEXTS_OF_PROJECT = r"""
INSERT INTO import_texts (key, external_id, split, line)
SELECT encode(sha256(convert_to(normalize(btrim(text, E' \t\n\r\f\x0b'), NFC), 'UTF8')), 'hex'),
    external_id, split, 0
FROM annotation_question WHERE project_id = %s ORDER BY id
ON CONFLICT (key) DO NOTHING
"""

# Remember new questions; the first of several stays. By the key of the table.
INSERT_TEXTS = (
    "INSERT INTO import_texts (key, external_id, split, line) "
    "SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::bigint[]) "
    "ON CONFLICT (key) DO NOTHING"
)

# Read the questions with some words, by the key of the table.
FIND_TEXTS = "SELECT key, external_id, split, line FROM import_texts WHERE key = ANY(%s)"
