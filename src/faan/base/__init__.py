"""What every room stands on: errors, files, progress, ragged arrays, settings, random streams, tensors on disk."""

from faan.base.configs import config_file, config_name, config_names, is_config
from faan.base.display import html_table, html_text, text_table, visible
from faan.base.errors import InputError, UnknownNameError, counted, first_problem, in_words, shorten
from faan.base.files import (
    atomic_file,
    atomic_folder,
    check_free,
    check_writable,
    decode_lines,
    locked,
    read_json,
    read_lines,
    scratch_folder,
    sync,
    write_json,
    write_text,
)
from faan.base.lazy import load_lazily
from faan.base.progress import OnProgress, ignore_progress, log_progress, progress_bars
from faan.base.ragged import Ints, are_below, is_ragged, offsets_of, places_of
from faan.base.randomness import Purpose, Stream
from faan.base.settings import Settings, UnknownSettingError, parse_setting
from faan.base.tensors import damaged_checkpoint, read_notes, read_tensors, write_tensors

__all__ = [
    "InputError",
    "Ints",
    "OnProgress",
    "Purpose",
    "Settings",
    "Stream",
    "UnknownNameError",
    "UnknownSettingError",
    "are_below",
    "atomic_file",
    "atomic_folder",
    "check_free",
    "check_writable",
    "config_file",
    "config_name",
    "config_names",
    "counted",
    "damaged_checkpoint",
    "decode_lines",
    "first_problem",
    "html_table",
    "html_text",
    "ignore_progress",
    "in_words",
    "is_config",
    "is_ragged",
    "load_lazily",
    "locked",
    "log_progress",
    "offsets_of",
    "parse_setting",
    "places_of",
    "progress_bars",
    "read_json",
    "read_lines",
    "read_notes",
    "read_tensors",
    "scratch_folder",
    "shorten",
    "sync",
    "text_table",
    "visible",
    "write_json",
    "write_tensors",
    "write_text",
]
