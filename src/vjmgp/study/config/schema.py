"""Check a config against a JSON schema, with errors of one line, and fill in defaults."""

import contextlib
import copy
import functools
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from ...core.suggestions import alternatives

Json = dict[str, Any]
MOST_VALUES = 200_000
"""The largest number of values in a config, with aliases expanded."""
EXAMPLES = {"estimator": "sklearn.svm.SVR", "regularizer": "my_measures.Roughness"}
WORDS = {
    "integer": "a whole number", "number": "a number", "string": "text", "boolean": "true or false",
    "array": "a list", "object": "a mapping of keys to values", "null": "null",
}  # fmt: skip


ENTRIES = ("own_data", "protocols", "methods", "experiments")
"""Keys of a config with entries by name."""


class ConfigError(ValueError):
    """Errors in a config; each message names the key and says what to do."""

    def __str__(self) -> str:
        if len(self.args) == 1:
            return str(self.args[0])
        return "\n- ".join([f"{len(self.args)} things are wrong:", *self.args])


class Problems(list[str]):
    """The problems of a config, collected so that all can be reported at once."""

    @contextlib.contextmanager
    def collected(self) -> Iterator[None]:
        """Add the problems that the body raises, instead of raising them."""
        try:
            yield
        except ConfigError as error:
            self += error.args
        except OSError as error:
            self.append(str(error))

    def raise_any(self) -> None:
        """Raise one error with all problems, if there are any."""
        if self:
            raise ConfigError(*dict.fromkeys(self))


def check(config: Any, schema: Json) -> None:
    """Raise a ConfigError with a line for each violation of the schema."""
    found = Problems()
    valid_part(config, schema, found)
    found.raise_any()


def valid_part(config: Any, schema: Json, found: Problems) -> Any:
    """Return a config without what violates the schema; something false if too little is left.

    The violations are added to `found`.
    """
    from jsonschema import Draft202012Validator, validators

    # In JSON, 2.0 is an integer; in Python and YAML it is not.
    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    validator = validators.extend(Draft202012Validator, type_checker=types)(schema)
    infinite = set()
    for where, value in _values(config):
        if isinstance(value, float) and not math.isfinite(value):
            found.append(f"{where} is {value}; write a finite number.")
            infinite.add(where)
        if isinstance(value, str) and any(ord(sign) < 32 or ord(sign) == 127 for sign in value):
            found.append(f"{where}: {value!r} has a line break or a tab in it; remove it.")
    errors = sorted(validator.iter_errors(config), key=lambda error: list(map(str, error.path)))
    errors = [error for error in errors if ".".join(map(str, error.path)) not in infinite]
    is_text_valid = not found
    found += dict.fromkeys(line for error in errors for line in _lines(error))
    return is_text_valid and _without(copy.deepcopy(config), errors, schema)


def _without(config: Any, errors: list[Any], schema: Json) -> Any:
    """Remove unknown keys, invalid entries, and invalid values that have defaults."""
    for error in errors:
        if error.validator == "additionalProperties":
            place = functools.reduce(lambda node, key: node[key], error.absolute_path, config)
            for key in _unknown_keys(error):
                del place[key]
    for error in errors:
        path = list(error.absolute_path)
        if error.validator == "additionalProperties":
            continue
        if len(path) > 1 and path[0] in ENTRIES:
            config.get(path[0], {}).pop(path[1], None)
        elif path and "default" in schema["properties"][path[0]]:
            config.pop(path[0], None)
        else:
            return None
    return config


def _unknown_keys(error: Any) -> list[str]:
    return [key for key in error.instance if key not in error.schema.get("properties", {})]


def _values(data: Any, where: str = "config") -> Iterator[tuple[str, Any]]:
    """Yield all keys and values of a config, each with its place."""
    yield where, data
    entries = dict(enumerate(data)) if isinstance(data, list) else data
    for key, value in entries.items() if isinstance(entries, dict) else ():
        place = str(key) if where == "config" else f"{where}.{key}"
        if isinstance(key, str):
            yield where, key
        yield from _values(value, place)


def _lines(error: Any) -> list[str]:
    """Return a violation in lines: one for each of several unknown or missing keys."""
    where = ".".join(map(str, error.absolute_path)) or "config"
    wanted, value = error.validator_value, error.instance
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        return [
            f"{where}: there is no key {key!r}{alternatives(key, known)}"
            for key in _unknown_keys(error)
        ]
    if error.validator == "required":
        return [f"{where}: the key {key!r} is missing." for key in wanted if key not in value]
    return [_one_line(error)]


def _one_line(error: Any) -> str:
    where = ".".join(map(str, error.absolute_path)) or "config"
    wanted, value = error.validator_value, error.instance
    match error.validator:
        case "enum":
            return f"{where} is {value!r}{alternatives(value, wanted)}"
        case "anyOf":
            within = [fault for fault in error.context if fault.path]
            if within:  # the value itself has the right type
                return _lines(within[0])[0]
            return f"{where} is {value!r}; it must be {' or '.join(map(_kind, wanted))}."
        case "pattern" if where.rpartition(".")[2] in EXAMPLES:
            example = EXAMPLES[where.rpartition(".")[2]]
            return f"{where} is {value!r}; it must be the path of a class, like {example}."
        case "pattern":
            return f"{where}: {value!r} is not a name; use letters a to z, digits and underscores."
        case "uniqueItems":
            twice = next(item for k, item in enumerate(value) if item in value[:k])
            return f"{where}: {twice!r} appears twice; name it once."
        case "type" if "propertyNames" in error.schema_path:
            return f"{where}: the key {value!r} is not text to YAML; write it in quotes."
        case "type":
            return f"{where} is {value!r}; it must be {_kind(error.schema)}."
    return f"{where}: {error.message}."


def _kind(schema: Json) -> str:
    if "const" in schema:
        return repr(schema["const"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    least = f" of {schema['minimum']} or more" if "minimum" in schema else ""
    return " or ".join(WORDS[kind] for kind in kinds) + least


def check_text(path: Path) -> None:
    """Raise a ConfigError for YAML that is ambiguous or too large.

    This checks the structure of the text only: duplicate keys, of which loaders use the last, deep
    nesting, and nested aliases that expand to millions of values.
    """
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        size = _size(root, "", {})
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        where = f", line {place.line + 1}" if place else ""
        raise ConfigError(f"config: not YAML{where}: {getattr(error, 'problem', error)}.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"config: byte {error.start} is not UTF-8; save it as UTF-8.") from None
    except RecursionError:
        raise ConfigError("config: it is nested too deeply; a study needs five levels.") from None
    if size > MOST_VALUES:
        raise ConfigError(f"config: it has more than {MOST_VALUES} values; make it smaller.")


def _size(node: Any, where: str, known: dict[int, int]) -> int:
    """Return the number of values in a node, aliases expanded; raise for duplicate keys."""
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = size = 1  # a node may contain itself
    lines: dict[tuple[str, str], int] = {}
    for entry in node.value if isinstance(node, yaml.CollectionNode) else ():
        if isinstance(node, yaml.SequenceNode):
            size += _size(entry, where, known)
            continue
        key, value = entry
        name, line = (key.tag, str(key.value)), key.start_mark.line + 1
        if name in lines:
            raise ConfigError(
                f"{where}{key.value}: the key appears twice, in lines {lines[name]} and {line}; "
                "keep one of them."
            )
        lines[name] = line
        size += 1 + _size(value, f"{where}{key.value}.", known)
    known[id(node)] = size
    return size


def require_known(name: str, known: Iterable[str], where: str, what: str) -> None:
    """Raise a ConfigError for an unknown name, with similar known ones."""
    if name not in known:
        article = "an" if what[0] in "aeiou" else "a"
        raise ConfigError(f"{where}: {name!r} is not {article} {what}{alternatives(name, known)}")


def with_defaults(config: Any, schema: Json) -> Any:
    """Return the config with the schema's defaults for missing keys."""
    if not isinstance(config, dict):
        return config
    full = copy.deepcopy(config)
    for key, rules in schema.get("properties", {}).items():
        if key not in full and "default" in rules:
            full[key] = copy.deepcopy(rules["default"])
        if key in full:
            full[key] = with_defaults(full[key], rules)
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        for key in full.keys() - schema.get("properties", {}).keys():
            full[key] = with_defaults(full[key], rest)
    return full
