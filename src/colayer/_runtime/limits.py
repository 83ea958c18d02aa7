"""What this machine has: memory and disk, so that what cannot fit is refused before it is tried."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def memory() -> int:
    """Bytes of memory that this process may still take, about; very many where the system does not say."""
    available = sys.maxsize
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                available = 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return min(available, _address_space())


def _address_space() -> int:
    """What `ulimit -v` leaves."""
    try:
        import resource
    except ImportError:  # Windows
        return sys.maxsize
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return sys.maxsize
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        used = 0
    return max(0, limit - used)


def disk(folder: Path) -> int:
    """Bytes that are free where `folder` is, or will be made."""
    nearest = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(nearest).free


def size(count: float) -> str:
    """A number of bytes in words: `3.2 GB`."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.2g} {unit}"
        count /= 1000
    return ""
