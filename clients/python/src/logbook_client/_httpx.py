"""httpx without its command line, which would load rich and other large modules at each start."""

from __future__ import annotations

import sys

if "httpx" not in sys.modules:
    # Importing a module that is None here fails as if it were not installed, and httpx does without it.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    try:
        import httpx
    finally:
        del sys.modules["httpx._main"]
else:
    import httpx

__all__ = ["httpx"]
