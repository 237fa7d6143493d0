"""What `mkdocs` asks us while it builds the site: pages made from the code, and links out of docs/ turned round."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page
    from pydantic.fields import FieldInfo

ROOT = Path(__file__).parent.parent
# Files outside docs/ that are pages of the site; other links out of docs/ become plain text: the site has no sources.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "src/faan/data/README.md": "world.md",
}
_WORKER = "https://unpkg.com/iframe-worker/shim"  # what the theme would load
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from the code and from files beside docs/."""
    from mkdocs.structure.files import File

    made = {
        "reference/commands.md": commands_page(),
        "reference/python.md": python_page(),
        "reference/settings.md": settings_page(),
        "reference/configurations.md": configurations_page(),
        "images/icon.svg": (ROOT / "src/faan/web/static/icon.svg").read_text(encoding="utf-8"),
    }
    for source, page in PAGES.items():
        if page != "index.md":
            made[page] = _turned((ROOT / source).read_text(encoding="utf-8"), source)
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links out of docs/ into links to pages, or into plain text."""
    if page.file.generated_by is not None:
        return markdown
    return _turned(markdown, f"docs/{page.file.src_uri}")


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take the worker for pages opened from disk from the site itself, not from the network."""
    own = posixpath.relpath("search_worker.js", posixpath.dirname(page.url) or ".")
    assert _WORKER in output
    return output.replace(_WORKER, own)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page that a server shows for what it does not find."""
    return output_content.replace(_WORKER, "search_worker.js")


def _turned(markdown: str, source: str) -> str:
    """The text of a file with links as they are in the site."""

    def turn(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        if ":" in target:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path.startswith("docs/"):
            return f"[{text}]({path.removeprefix('docs/')}{anchor})"
        return f"[{text}]({PAGES[path]}{anchor})" if path in PAGES else text

    return _LINK.sub(turn, markdown)


def python_page() -> str:
    """Everything that `import faan` offers, from the docstrings."""
    import faan

    names = "\n\n".join(f"::: faan.{name}" for name in sorted(faan.__all__, key=_classes_last))
    return f"""# Python

Everything that `import faan` offers. The packages inside (`faan.embed`, `faan.train`, `faan.tasks`, …) offer more;
[architecture](../architecture.md) says what is where.

{names}
"""


def _classes_last(name: str) -> tuple[bool, str]:
    return name[0].isupper(), name


def commands_page() -> str:
    """All commands with their options, from the command line itself."""
    from typer.main import get_command

    from faan.cli import app

    parts = ["# Commands\n\nEvery command has `--help`. Results go to standard output, messages to standard error.\n"]
    for name, command in _commands("faan", get_command(app)):
        usage = " ".join(_value(param) for param in command.params if _is_argument(param))
        parts.append(f"## {name}\n\n{_plain(command.help or '')}\n\n```text\n{name} {usage} [OPTIONS]\n```\n")
        parts.append("| argument or option | what it does | default |\n|---|---|---|")
        parts += [*(_param_row(param) for param in command.params if param.name != "help"), ""]
    return "\n".join(parts)


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    inside = getattr(command, "commands", None)
    if inside is None:
        yield name, command
        return
    for own, child in inside.items():
        yield from _commands(f"{name} {own}", child)


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _value(param: Any) -> str:
    """What is given for an argument or option, as its help calls it."""
    return str(param.metavar or param.name.upper())


def _param_row(param: Any) -> str:
    from faan.cli.methods_help import with_methods

    default = "required" if param.required else ""
    if _is_argument(param):
        name = f"`{_value(param)}`"
    else:
        name = f"`{', '.join(param.opts)}{'' if param.is_flag else f' {_value(param)}'}`"
        if not param.required and not param.is_flag and param.default not in (None, ()) and not callable(param.default):
            default = f"`{param.default}`"
    return f"| {_cell(name)} | {_cell(_plain(with_methods(param.help or '')))} | {_cell(default)} |"


def _plain(text: str) -> str:
    r"""Help without the signs that a terminal needs (`\[` is a bracket)."""
    return " ".join(text.replace("\\[", "[").split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def settings_page() -> str:
    """All settings with their defaults, from the classes that check them."""
    import faan.embed
    import faan.models
    import faan.tasks
    import faan.train  # noqa: F401
    from faan.base import Settings

    parts = [
        "# Settings\n",
        "Set them in a TOML file or with `--set NAME=VALUE`; the settings of a table of a run have its name in front:"
        " `--set train.steps=500`. faan checks them when it reads them, and refuses names that it does not know."
        " [Configurations](configurations.md) lists the files that ship with faan.\n",
    ]
    for kind in sorted(_kinds(Settings), key=lambda kind: (kind.__module__, kind.__qualname__)):
        parts.append(f"## {kind.__name__}\n\n{_first_paragraph(kind.__doc__)} (`{kind.__module__}`)\n")
        parts.append("| setting | type | default | what it is |\n|---|---|---|---|")
        for name, field in kind.model_fields.items():
            said = _cell(" ".join((field.description or "").replace("``", "`").split()))
            parts.append(f"| `{name}` | {_cell(_type(field.annotation))} | {_cell(_default(field))} | {said} |")
        parts.append("")
    return "\n".join(parts)


def _kinds(base: Any) -> Iterator[Any]:
    for kind in base.__subclasses__():
        if kind.model_fields:
            yield kind
        yield from _kinds(kind)


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").replace("``", "`").split("\n\n")[0].split())


def _type(annotation: Any) -> str:
    """A type as a reader writes its values."""
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{value!r}`".replace("'", '"') for value in get_args(annotation))
    if isinstance(annotation, type) and not get_args(annotation):
        return {"int": "whole number", "float": "number", "bool": "true or false", "str": "text"}.get(
            annotation.__name__, annotation.__name__
        )
    if get_args(annotation) and str(get_origin(annotation)) in ("<class 'types.UnionType'>", "typing.Union"):
        return " or ".join("nothing" if one is type(None) else _type(one) for one in get_args(annotation))
    return f"`{str(annotation).replace('typing.', '')}`"


def _default(field: FieldInfo) -> str:
    from pydantic import BaseModel

    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return f"as in {type(value).__name__}"
    if value is None:
        return "nothing"
    return f"`{str(value).lower() if isinstance(value, bool) else repr(value)}`".replace("'", '"')


def configurations_page() -> str:
    """The configurations that ship, as they are."""
    from faan.base import config_file, config_names

    parts = [
        "# Configurations\n",
        "These ship with faan and are called by their names: `faan train faan-plus --benchmark NELL-One -o run`,"
        " `faan evaluate embed-transe --benchmark NELL-One`, `faan embed graph.tsv --config embed-complex -o vectors`."
        " A path that ends in `.toml` is a file of your own. [Settings](settings.md) explains the names. The table"
        " `[result]` holds measured figures; it is not read.\n",
    ]
    for name in config_names():
        text = config_file(name).read_text(encoding="utf-8").strip()
        parts.append(f"## {name}\n\n```toml\n{text}\n```\n")
    return "\n".join(parts)
