"""The package: types, generated models, and what a release contains."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest
from logbook_service import ROOT, LogbookService

PACKAGE = Path(__file__).parent.parent


def test_types_are_strict(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.environ.get("MYPY_CACHE", str(tmp_path))]
    done = subprocess.run([*command, "src"], cwd=PACKAGE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_models_are_those_of_the_description(logbook_service: LogbookService) -> None:
    """`python scripts/generate_models.py URL` writes them."""
    sys.path.insert(0, str(PACKAGE / "scripts"))
    from generate_models import MODELS, generate

    with urlopen(f"{logbook_service.origin}/openapi.json") as answer:
        assert MODELS.read_text("utf-8") == generate(json.load(answer))


def test_the_version_is_that_of_the_service() -> None:
    from logbook_client import __version__

    assert json.loads((ROOT / "package.json").read_text())["version"] == __version__
    assert f'version = "{__version__}"' in (PACKAGE / "pyproject.toml").read_text()
    assert (PACKAGE / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_two_builds_are_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    digests = []
    for number in range(2):
        copy = tmp_path / f"checkout-{number}" / "python"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", ".*_cache", "dist"))
        out = tmp_path / f"out-{number}"
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(copy)]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        digests.append({file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in out.iterdir()})
    assert digests[0] == digests[1] and len(digests[0]) == 2
    (wheel,) = (tmp_path / "out-0").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "logbook_client/py.typed" in names and any(name.endswith("licenses/LICENSE") for name in names)
    (source,) = (tmp_path / "out-0").glob("*.tar.gz")
    with tarfile.open(source) as archive:
        assert any(name.endswith("examples/cron_job.py") for name in archive.getnames())


def test_what_is_imported_is_declared_and_the_syntax_is_that_of_the_oldest_python() -> None:
    imported: set[str] = set()
    for file in (PACKAGE / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"), feature_version=(3, 9))):
            if isinstance(node, ast.Import):
                imported |= {one.name.partition(".")[0] for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                imported.add(str(node.module).partition(".")[0])
    declared = set(re.findall(r'^  "([\w-]+)[><=]', (PACKAGE / "pyproject.toml").read_text(), re.MULTILINE))
    names = {"markdown_it": "markdown-it-py", "typing_extensions": "typing-extensions"}
    needed = imported - set(sys.stdlib_module_names) - {"IPython"}
    assert {names.get(one, one) for one in needed} == declared


def test_a_post_loads_only_what_it_needs(logbook_service: LogbookService) -> None:
    settings = {"LOGBOOK_URL": logbook_service.url, "LOGBOOK_USER": "user", "LOGBOOK_PASSWORD": "userPass"}
    script = (
        "import ssl, sys; from logbook_client.cli import main\n"
        "ssl.SSLContext.load_verify_locations = ssl.create_default_context = None\n"
        "sys.argv = ['logbook', 'post', 'Quick', 'x', '--logbook', 'operations']\n"
        "try: main()\n"
        "finally: print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **settings}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loaded = {name.removeprefix("logbook_client.") for name in done.stdout.split()}
    needless = {"asyncio", "rich", "markdown_it", "IPython", "async_client", "bluesky", "jupyter", "rendering"}
    assert {"operations", "spool"} <= loaded and not needless & loaded


def test_plain_http_loads_no_authorities_unless_a_proxy_has_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    from logbook_client.settings import find_settings

    bare = find_settings("http://127.0.0.1/logbook").tls()
    assert isinstance(bare, ssl.SSLContext)
    assert bare.get_ca_certs() == [] and bare.verify_mode is ssl.CERT_REQUIRED
    monkeypatch.setenv("http_proxy", "https://proxy.example:3128")
    assert find_settings("http://127.0.0.1/logbook").tls() is True


def test_no_file_is_over_300_lines() -> None:
    """The rule of the repository."""
    sizes = {file.name: len(file.read_text("utf-8").splitlines()) for file in (PACKAGE / "src").rglob("*.py")}
    assert [name for name, lines in sizes.items() if lines > 300] == []
