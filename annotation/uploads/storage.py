"""What can go wrong with the storage of uploads, whatever storage it is."""


class StorageDown(Exception):
    """The storage does not answer, or refuses us: not the fault of the file or its owner."""
