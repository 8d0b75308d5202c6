"""Views of games."""

from rlcard_big2.study.views import split_tricks, trick_number


def test_three_passes_end_a_trick():
    trace = [(0, '3d'), (1, 'pass'), (2, '4d'), (3, 'pass'), (0, 'pass'), (1, 'pass'), (2, '5d 5c')]
    assert split_tricks(trace) == [trace[:6], trace[6:]]
    assert [trick_number(trace[:n], leads=leads) for n, leads in ((0, True), (5, False), (6, True), (7, False))] == [
        1, 1, 2, 2,
    ]  # fmt: skip
