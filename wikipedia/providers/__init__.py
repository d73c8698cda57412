"""Where pages come from: an archive or a live wiki, behind one interface.

Who reads asks the registry for the provider of a snapshot. What a provider gives is hostile until
the reader has been over it.
"""
