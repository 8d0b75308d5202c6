"""Constants of the engine's JavaScript: they stand in Python alone, and the build writes modules that export them."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from rlcard_big2.engine import moves
from rlcard_big2.engine import state as big2
from rlcard_big2.search import agent, analysis, estimates, posterior, rollouts, zoo
from rlcard_catch5.engine import state as catch5
from rlcard_catch5.records import record
from rlcard_catch5.search import agent as catch5_agent
from rlcard_catch5.search import beliefs
from rlcard_kit import deck, rollout_analysis
from rlcard_kit.nets import calibration
from rlcard_kit.nets.zoo import TOLD
from rlcard_kit.statistics import student_t


def constants_of(module: ModuleType, names: str) -> dict[str, Any]:
    """Return the values of constants of a module by name."""
    return {name: getattr(module, name) for name in names.split()}


def write_constants(modules: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Write modules of JavaScript that export constants, by the names of their files, to a folder."""
    for name, constants in modules.items():
        lines = [f'export const {key} = {json.dumps(value, ensure_ascii=False)};\n' for key, value in constants.items()]
        (folder / name).write_text(''.join(lines), encoding='utf-8')


CONSTANTS: dict[str, dict[str, Any]] = {
    'constants.js': {
        **constants_of(deck, 'NUM_CARDS'),
        **constants_of(rollout_analysis, 'GROUPS LEAST CLEAR'),
        'T95': student_t(rollout_analysis.GROUPS - 1),
        'TOLD': TOLD,
        'UNIT': calibration.UNIT,
        'VALUES': calibration.VALUES.tolist(),
    },
    'constants.big2.js': {
        **constants_of(big2, 'NUM_PLAYERS HISTORY'),
        **constants_of(moves, 'MAX_LEGAL MOST_LEGAL'),
        **constants_of(agent, 'GAP CANDIDATES MIN_ROUND ROUND LARGEST'),
        **constants_of(estimates, 'PRIOR_SD OUTCOME_SD SHRINKAGE MIN_GAIN'),
        **constants_of(posterior, 'SAMPLES MIN_TEMPERATURE'),
        'SAMPLING': posterior.SAMPLING._asdict(),
        'LONG_SAMPLING': posterior.LONG_SAMPLING._asdict(),
        **constants_of(zoo, 'INIT_PROPOSALS'),
        **constants_of(rollouts, 'VIEWER'),
        **constants_of(analysis, 'FEW'),
    },
    'constants.catch5.js': {
        **constants_of(catch5, 'NUM_PLAYERS DEALT HAND_SIZE MOST_STOCK NUM_PLIES TRUMP_PLY FIRST_CARD_PLY'),
        **constants_of(record, 'ORDERS'),
        **constants_of(beliefs, 'PROPOSALS AT_ONCE'),
        **constants_of(catch5_agent, 'WORLDS LEAST_SHARE CANDIDATES PRIOR PRIOR_SD OUTCOME_SD'),
    },
}
"""Of both games, and of each."""
