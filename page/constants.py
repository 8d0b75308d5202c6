"""The constants of the page's JavaScript beyond those of the engine."""

from string import ascii_letters
from typing import Any

import rlcard_big2.actions
import rlcard_big2.cards
import rlcard_big2.records.codes
import rlcard_big2.records.parsing
import rlcard_big2.records.record
import rlcard_big2.study.advice
import rlcard_big2.study.review
import rlcard_catch5.cards
import rlcard_catch5.records.parsing
import rlcard_catch5.study.advice
import rlcard_kit.envs.seated_game
import rlcard_kit.statistics
import rlcard_kit.study.grades
import rlcard_kit.study.refusals
import rlcard_kit.study.score
import rlcard_kit.web.analysis
import rlcard_kit.web.played
import rlcard_kit.web.requests
import rlcard_kit.web.tables
from wasm.constants import constants_of
