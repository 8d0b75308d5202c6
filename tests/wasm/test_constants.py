"""Constants that the engine's JavaScript reads."""

from rlcard_big2.search.agent import GAP
from rlcard_big2.search.posterior import SAMPLING
from rlcard_catch5.engine.state import HAND_SIZE
from rlcard_kit.nets.calibration import VALUES
from wasm.constants import CONSTANTS


def test_modules_export_what_python_has(run_node):
    both, big2, catch5 = found = run_node('constants.mjs', files=list(CONSTANTS))
    assert found == list(CONSTANTS.values())
    assert both['VALUES'] == VALUES.tolist()
    assert (big2['GAP'], big2['SAMPLING']) == (GAP, SAMPLING._asdict())
    assert catch5['HAND_SIZE'] == HAND_SIZE
