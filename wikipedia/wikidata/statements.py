"""SQL of a graph, which is a file of SQLite, and of the file in which it is prepared.

Rows are appended to the second in the order of the dump. Then each table of the graph is written
once, sorted, which SQLite does outside of memory.
"""

from typing import Final

# 31 is *instance of* and 279 *subclass of* (properties.py): they say of which type an item is, and
# are no facts to ask about.

# --- what is prepared ----------------------------------------------------------------------------

STAGE: Final = """
CREATE TABLE IF NOT EXISTS state(id INTEGER PRIMARY KEY CHECK (id = 1), text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fact(
  property INTEGER, value INTEGER, item INTEGER, statement, rank INTEGER, start TEXT, stop TEXT);
CREATE TABLE IF NOT EXISTS entity(
  id INTEGER, revision INTEGER, mark INTEGER, label TEXT, aliases TEXT, title TEXT,
  description TEXT, file INTEGER, line INTEGER, first INTEGER, facts INTEGER);
CREATE TABLE IF NOT EXISTS property(
  id INTEGER, revision INTEGER, mark INTEGER, label TEXT, description TEXT, datatype TEXT,
  inverses TEXT);
"""
READ_STATE: Final = "SELECT text FROM state"
WRITE_STATE: Final = "INSERT OR REPLACE INTO state VALUES (1, ?)"
LAST_FACT: Final = "SELECT coalesce(max(rowid), 0) FROM fact"
ADD_FACT: Final = "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?)"
ADD_ENTITY: Final = "INSERT INTO entity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_PROPERTY: Final = "INSERT INTO property VALUES (?, ?, ?, ?, ?, ?, ?)"

# An item that is there twice: the newest revision counts, whatever the order of the lines.
TWICE: Final = "SELECT id FROM entity GROUP BY id HAVING count(*) > 1 ORDER BY id"
INDEX_ENTITIES: Final = "CREATE INDEX IF NOT EXISTS entity_id ON entity(id)"
OLDER: Final = """
SELECT rowid, file, line, first, facts FROM entity WHERE id = ?
ORDER BY revision DESC, mark DESC, rowid LIMIT -1 OFFSET 1
"""
DROP_ENTITY: Final = "DELETE FROM entity WHERE rowid = ?"
DROP_FACTS: Final = "DELETE FROM fact WHERE rowid >= ? AND rowid < ?"

# --- the graph -----------------------------------------------------------------------------------

GRAPH: Final = """
CREATE TABLE graph.about(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE graph.entity(
  id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, label TEXT, aliases TEXT NOT NULL, title TEXT,
  description TEXT);
CREATE TABLE graph.fact(
  property INTEGER NOT NULL, value INTEGER NOT NULL, item INTEGER NOT NULL, statement NOT NULL,
  rank INTEGER NOT NULL, start TEXT, stop TEXT,
  CONSTRAINT fact_rank_is_kept CHECK (rank IN (0, 1)),
  PRIMARY KEY (property, value, item, statement)) WITHOUT ROWID;
CREATE TABLE graph.subclass(
  child INTEGER NOT NULL, parent INTEGER NOT NULL, PRIMARY KEY (child, parent)) WITHOUT ROWID;
CREATE TABLE graph.property(
  id INTEGER PRIMARY KEY, revision INTEGER NOT NULL, label TEXT, description TEXT,
  datatype TEXT NOT NULL);
CREATE TABLE graph.inverse(
  property INTEGER NOT NULL, other INTEGER NOT NULL, PRIMARY KEY (property, other)) WITHOUT ROWID;
CREATE TEMP TABLE kept(id INTEGER PRIMARY KEY);
"""
# GROUP BY sorts outside of memory, so that each table is written from one end to the other.
KEEP: Final = (
    """INSERT OR IGNORE INTO kept SELECT item FROM fact
    WHERE property NOT IN (31, 279) GROUP BY item""",
    """INSERT OR IGNORE INTO kept SELECT value FROM fact
    WHERE property NOT IN (31, 279) GROUP BY value""",
    "INSERT OR IGNORE INTO kept SELECT id FROM entity WHERE title IS NOT NULL GROUP BY id",
)
FILL_FACTS: Final = """
INSERT OR IGNORE INTO graph.fact
SELECT property, value, item, statement, rank, nullif(start, '-'), nullif(stop, '-')
FROM fact WHERE property <> 279 AND (property <> 31 OR item IN (SELECT id FROM kept))
ORDER BY property, value, item, statement, rank DESC, start, stop
"""
FILL_SUBCLASSES: Final = """
INSERT INTO graph.subclass SELECT item, value FROM fact WHERE property = 279
GROUP BY item, value
"""
# Classes have names, too: of what is kept, and those above others.
KEEP_CLASSES: Final = (
    """INSERT OR IGNORE INTO kept SELECT DISTINCT value FROM graph.fact
    WHERE property = 31""",
    "INSERT OR IGNORE INTO kept SELECT parent FROM graph.subclass GROUP BY parent",
)
FILL_ENTITIES: Final = """
INSERT INTO graph.entity SELECT id, revision, label, aliases, title, description FROM entity
WHERE id IN (SELECT id FROM kept) ORDER BY id
"""
LIST_PROPERTIES: Final = """
SELECT id, revision, label, description, datatype, inverses FROM property
ORDER BY id, revision DESC, mark DESC
"""
FILL_PROPERTY: Final = "INSERT OR IGNORE INTO graph.property VALUES (?, ?, ?, ?, ?)"
FILL_INVERSE: Final = "INSERT OR IGNORE INTO graph.inverse VALUES (?, ?)"
INDEX: Final = """
CREATE INDEX graph.fact_of_item ON fact(item, property);
CREATE INDEX graph.subclass_of_parent ON subclass(parent, child);
"""
FILL_ABOUT: Final = "INSERT INTO graph.about VALUES (?, ?)"

# What the hash of a graph is made of: every row, in an order that its content gives.
ROWS: Final = {
    "entity": "SELECT * FROM graph.entity ORDER BY id",
    "fact": """SELECT property, value, item, hex(statement), rank, start, stop FROM graph.fact
    ORDER BY property, value, item, statement""",
    "subclass": "SELECT child, parent FROM graph.subclass ORDER BY child, parent",
    "property": "SELECT * FROM graph.property ORDER BY id",
    "inverse": "SELECT property, other FROM graph.inverse ORDER BY property, other",
}
COUNTS: Final = {
    "items": "SELECT count(*) FROM graph.entity",
    "articles": "SELECT count(title) FROM graph.entity",
    "statements": "SELECT count(*) FROM graph.fact WHERE property <> 31",
    "types": "SELECT count(*) FROM graph.fact WHERE property = 31",
    "subclasses": "SELECT count(*) FROM graph.subclass",
    "properties": "SELECT count(*) FROM graph.property",
}

# --- reading -------------------------------------------------------------------------------------

READ_ABOUT: Final = "SELECT key, value FROM about"
FIND_ITEMS: Final = """
SELECT DISTINCT item FROM fact WHERE property = ? AND value = ? ORDER BY item
"""
FIND_TYPED_ITEMS: Final = """
SELECT DISTINCT item FROM fact WHERE property = :property AND value = :value
AND EXISTS (
  SELECT 1 FROM fact AS kind WHERE kind.item = fact.item AND kind.property = 31
  AND kind.value IN (SELECT id FROM temp.closure WHERE class = :class))
ORDER BY item
"""
SCAN_FACTS: Final = """
SELECT DISTINCT value, item FROM fact WHERE property = ? ORDER BY value, item
"""
SCAN_TYPED_FACTS: Final = """
SELECT DISTINCT value, item FROM fact WHERE property = :property
AND EXISTS (
  SELECT 1 FROM fact AS kind WHERE kind.item = fact.item AND kind.property = 31
  AND kind.value IN (SELECT id FROM temp.closure WHERE class = :class))
ORDER BY value, item
"""
# Of one relation: how many values have how many items.
COUNT_QUESTIONS: Final = """
SELECT items, count(*) FROM (
  SELECT count(DISTINCT item) AS items FROM fact WHERE property = :property
  GROUP BY value HAVING count(DISTINCT item) >= :least)
GROUP BY items ORDER BY items
"""
COUNT_TYPED_QUESTIONS: Final = """
SELECT items, count(*) FROM (
  SELECT count(DISTINCT item) AS items FROM fact WHERE property = :property
  AND EXISTS (
    SELECT 1 FROM fact AS kind WHERE kind.item = fact.item AND kind.property = 31
    AND kind.value IN (SELECT id FROM temp.closure WHERE class = :class))
  GROUP BY value HAVING count(DISTINCT item) >= :least)
GROUP BY items ORDER BY items
"""
COUNT_RELATIONS: Final = """
SELECT property, sum(items >= :least), sum(items * (items >= :least)),
  sum(named * (items >= :least))
FROM (
  SELECT property, value, count(DISTINCT item) AS items,
    count(DISTINCT CASE WHEN entity.title IS NOT NULL THEN item END) AS named
  FROM fact LEFT JOIN entity ON entity.id = fact.item
  WHERE property <> 31 GROUP BY property, value)
GROUP BY property ORDER BY property
"""
FIND_ENTITIES: Final = """
SELECT id, revision, label, aliases, title, description FROM entity
WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id
"""
FIND_STATEMENTS: Final = """
SELECT property, value, item, statement, rank, start, stop FROM fact WHERE item = ?
ORDER BY property, value, statement
"""
FIND_PROOFS: Final = """
SELECT property, value, item, statement, rank, start, stop FROM fact
WHERE property = ? AND value = ? AND item = ? ORDER BY statement
"""
FIND_PROPERTIES: Final = "SELECT id, label, description, datatype FROM property ORDER BY id"
FIND_INVERSES: Final = "SELECT property, other FROM inverse ORDER BY property, other"

# UNION leaves out what is there already, which is what ends a circle of classes.
CLOSURE: Final = """
CREATE TEMP TABLE IF NOT EXISTS closure(
  class INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (class, id)) WITHOUT ROWID
"""
HAS_CLOSURE: Final = "SELECT 1 FROM temp.closure WHERE class = ? LIMIT 1"
FILL_CLOSURE: Final = """
INSERT INTO temp.closure
WITH RECURSIVE below(id) AS (
  VALUES (:class)
  UNION SELECT subclass.child FROM subclass JOIN below ON subclass.parent = below.id)
SELECT :class, id FROM below
"""
LIST_CLOSURE: Final = "SELECT id FROM temp.closure WHERE class = ? ORDER BY id"
