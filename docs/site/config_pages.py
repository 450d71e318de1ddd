"""Generate the reference of a study's config from its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Schema = dict[str, Any]
HEAD = """# Config reference

Every key of a study's config. Configs are checked against `workflow/schemas/config.schema.yaml`
before anything runs. How to write one: `config/README.md`."""
COLUMNS = "| key | meaning | values | default |\n| --- | --- | --- | --- |"
LIMITS = {
    "minimum": "≥ {}", "exclusiveMinimum": "> {}", "maximum": "≤ {}", "exclusiveMaximum": "< {}",
}  # fmt: skip


def page(path: Path) -> str:
    """Return the page: a table of keys for each object of the schema."""
    schema = yaml.safe_load(path.read_text(encoding="utf-8"))
    method = schema["$defs"]["method"]
    return "\n\n".join(
        [
            HEAD,
            *_section("A study", schema),
            *_section("A table of `own_data`", _each(schema, "own_data")),
            *_section("A protocol of `protocols`", _each(schema, "protocols")),
            *_section("An experiment of `experiments`", _each(schema, "experiments")),
            *_section("A method of `methods`", method),
            *_section("`gp` of a method", method["properties"]["gp"]),
            "For their meaning see [`VJMRegressor`](api.md#vjmgp.regressor.VJMRegressor).",
        ]
    )


def _each(schema: Schema, key: str) -> Schema:
    return schema["properties"][key] | schema["properties"][key]["additionalProperties"]


def _section(title: str, rules: Schema) -> list[str]:
    required = rules.get("required", [])
    rows = (_row(key, rule, key in required) for key, rule in rules["properties"].items())
    return [f"## {title}", rules.get("description", ""), "\n".join([COLUMNS, *rows])]


def _row(key: str, rule: Schema, is_required: bool) -> str:
    default = "required" if is_required else _shown(rule["default"]) if "default" in rule else ""
    values = "; ".join(_values(rule))
    cells = (f"`{key}`", rule.get("description", ""), values, default)
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _values(rule: Schema) -> Iterator[str]:
    """Yield the values that a key takes, in words."""
    if "enum" in rule:
        yield ", ".join(_shown(value) for value in rule["enum"])
    if "const" in rule:
        yield _shown(rule["const"])
    if "anyOf" in rule:
        yield " or ".join(", ".join(_values(choice)) for choice in rule["anyOf"])
    if "then" in rule:
        yield from _values(rule["then"])
        yield "or the import path of a class"
    elif "type" in rule:
        kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
        yield " or ".join(kinds)
    yield from (text.format(rule[key]) for key, text in LIMITS.items() if key in rule)


def _shown(value: Any) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"
