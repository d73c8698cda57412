"""The embedded queue: kombu's folder of messages, each written in one step.

kombu writes a message into the folder and a worker may read it half written, which ends the
worker: "Expecting value: line 1 column 1". Here a message is renamed into the folder.
"""

import os
import uuid
from pathlib import Path
from time import monotonic
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """A channel over a folder of files."""

    def _put(  # type: ignore[override]  # two bases, two signatures
        self, queue: str, payload: dict[str, Any], **kwargs: Any
    ) -> None:
        """Put a message onto the queue; workers see it whole or not at all."""
        folder, name = Path(self.data_folder_out), uuid.uuid4()
        part = folder / f".{name}.part"  # no queue's name, so no worker takes it for a message
        whole = folder / f"{round(monotonic() * 1000)}_{name}.{queue}.msg"
        try:
            part.write_bytes(str_to_bytes(dumps(payload)))
            os.replace(part, whole)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise ChannelError(f"Cannot add {whole} to the queue: {error.strerror}") from error


class Transport(filesystem.Transport):
    """kombu's file system transport with our channels."""

    Channel = Channel
