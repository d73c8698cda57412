"""Wikipedia beside the work: search, articles, quotes, and the log of what was read.

Stands below the work: it knows an assignment, and nothing of how one is handed out.
"""
