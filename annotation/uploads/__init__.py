"""Files that people upload: which pages take them, how large they may be, and storage that is
down.
"""
