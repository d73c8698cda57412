"""A graph of Wikidata in one file: made from a dump or a query's result, and read.

The reader knows no request and no row: a graph is a file that hosts share, as an index is.
"""
