"""Other programs that are told of a project’s work, with messages that are neither lost nor
invented.
"""
