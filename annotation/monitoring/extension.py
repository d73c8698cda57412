"""What monitoring adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    Tab,
)

EXTENSION = Extension(
    key="annotation.monitoring",
    tabs=(Tab("monitoring", "Monitoring", "project-monitoring", "quality", 80),),
)
