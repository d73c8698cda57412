"""The kind of job that builds an index."""

INDEX = "index"
