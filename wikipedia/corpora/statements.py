"""SQL of the store of pages, which is a file of SQLite."""

CREATE_DOCUMENTS = "CREATE TABLE documents (id PRIMARY KEY, text)"
# The first of several pages with one title stays.
INSERT_DOCUMENT = "INSERT OR IGNORE INTO documents VALUES (?, ?)"
# All rows are counted, once the store is written.
COUNT_DOCUMENTS = "SELECT count(*) FROM documents"
