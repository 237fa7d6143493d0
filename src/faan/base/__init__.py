"""What every room stands on: errors, files, progress, ragged arrays, settings, random streams, run folders."""

from faan.base.arrays import open_array
from faan.base.checked import Checked
from faan.base.cluster import Cluster, Pool, open_pool
from faan.base.configs import config_file, config_name, config_names, is_config
from faan.base.display import html_table, html_text, quiet, text_table, visible
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
    read_small,
    scratch_folder,
    sync,
    write_json,
    write_text,
)
from faan.base.lazy import lazy_names
from faan.base.progress import OnProgress, ignore_progress, progress_bars
from faan.base.ragged import Ints, are_below, is_ragged, offsets_of, places_of
from faan.base.randomness import Purpose, Stream
from faan.base.runs import (
    CHECKPOINT_FILE,
    CONFIG_FILE,
    METRICS_FILE,
    RESULT_FILE,
    SECONDS_FILE,
    Stopwatch,
    TrainingError,
    damaged_run,
    load_checkpoint,
    load_progress,
    read_config,
    save_checkpoint,
    write_config,
)
from faan.base.settings import Settings, UnknownSettingError, parse_setting
from faan.base.tensors import read_tensors, write_tensors

__all__ = [
    "CHECKPOINT_FILE",
    "CONFIG_FILE",
    "METRICS_FILE",
    "RESULT_FILE",
    "SECONDS_FILE",
    "Checked",
    "Cluster",
    "InputError",
    "Ints",
    "OnProgress",
    "Pool",
    "Purpose",
    "Settings",
    "Stopwatch",
    "Stream",
    "TrainingError",
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
    "damaged_run",
    "decode_lines",
    "first_problem",
    "html_table",
    "html_text",
    "ignore_progress",
    "in_words",
    "is_config",
    "is_ragged",
    "lazy_names",
    "load_checkpoint",
    "load_progress",
    "locked",
    "offsets_of",
    "open_array",
    "open_pool",
    "parse_setting",
    "places_of",
    "progress_bars",
    "quiet",
    "read_config",
    "read_json",
    "read_lines",
    "read_small",
    "read_tensors",
    "save_checkpoint",
    "scratch_folder",
    "shorten",
    "sync",
    "text_table",
    "visible",
    "write_config",
    "write_json",
    "write_tensors",
    "write_text",
]
