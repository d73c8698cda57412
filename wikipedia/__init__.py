"""Wikipedia as annotators use it: snapshots, search, safe articles, and quotes with their source.

It knows no project, stage or protocol; who may see what is registered from above.
"""
