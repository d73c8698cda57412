"""Search in articles and passages: terms, an index and its versions, ranking, suggestions.

It knows words and folders, but neither a snapshot nor where the documents came from.
"""
