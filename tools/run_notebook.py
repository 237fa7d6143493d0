"""Run the cells of a notebook as Jupyter does, without Jupyter, and write the outputs into it.

python tools/run_notebook.py examples/notebook.ipynb
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

_MIME = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}


def run_notebook(path: Path) -> dict[str, Any]:
    """The notebook with the outputs that its cells give now; they run in the notebook's folder."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(cells, 1):
            cell["execution_count"] = number
            cell["outputs"] = _run("".join(cell["source"]), names, number)
    finally:
        os.chdir(before)
    return notebook


def _run(code: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """The outputs of one cell: what it prints, and the value of its last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        data |= {mime: _lines(getattr(value, method)()) for method, mime in _MIME.items() if hasattr(value, method)}
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def write_notebook(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter writes it."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_notebook(Path(name), run_notebook(Path(name)))
