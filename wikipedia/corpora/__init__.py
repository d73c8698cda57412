"""What can be indexed: archives, dumps and files of passages as streams of documents.

It keeps memory bounded and knows no snapshot: the builder of an index asks for what it gives.
"""
