"""Writes src/logbook_client/models.py from the OpenAPI description of a service.

python scripts/generate_models.py http://127.0.0.1:8080/openapi.json
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

MODELS = Path(__file__).parent.parent / "src" / "logbook_client" / "models.py"
#: Schemas that the client reads, with those that they refer to.
WANTED = ["Entry", "Attachment"]
#: Names of the objects that schemas contain.
NAMES = {
    ("Entry", "logbooks"): "LogbookReference",
    ("Entry", "tags"): "TagReference",
    ("Entry", "properties"): "PropertyInstance",
    ("PropertyInstance", "attributes"): "AttributeValue",
    ("AttributeValue", "sample"): "Sample",
    ("Entry", "events"): "Event",
}
HEADER = "# Generated from the OpenAPI description by scripts/generate_models.py.\n"


def generate(description: dict[str, Any]) -> str:
    """Returns the source of the models."""
    schemas = {name: copy.deepcopy(description["components"]["schemas"][name]) for name in WANTED}
    for name, schema in list(schemas.items()):
        _extract(schemas, name, schema)
    reduced = {"openapi": "3.1.0", "info": description["info"], "paths": {}, "components": {"schemas": schemas}}
    with tempfile.TemporaryDirectory() as directory:
        source, target = Path(directory, "openapi.json"), Path(directory, "models.py")
        source.write_text(json.dumps(reduced), "utf-8")
        options = (
            "--input-file-type openapi --openapi-scopes schemas --output-model-type pydantic_v2.BaseModel "
            "--target-python-version 3.10 --use-standard-collections --no-use-union-operator --enum-field-as-literal all "
            "--use-annotated --use-double-quotes --use-schema-description --use-field-description --disable-timestamp --disable-future-imports "
            "--formatters builtin"
        )
        command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(source), "--output", str(target)]
        subprocess.run([*command, *options.split()], check=True)
        text = target.read_text("utf-8")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip("\n")
    return f"{HEADER}\n{body}\n"


def _extract(schemas: dict[str, Any], owner: str, schema: dict[str, Any]) -> None:
    """Moves the objects within a schema to schemas with names."""
    schema.pop("examples", None)
    for field, value in schema.get("properties", {}).items():
        name = NAMES.get((owner, field))
        if name is not None:
            reference = {"$ref": f"#/components/schemas/{name}"}
            schemas[name] = value.get("items", value)
            schema["properties"][field] = {**value, "items": reference} if "items" in value else reference
            _extract(schemas, name, schemas[name])


def main() -> None:
    with urllib.request.urlopen(sys.argv[1]) as answer:
        MODELS.write_text(generate(json.load(answer)), "utf-8")


if __name__ == "__main__":
    main()
