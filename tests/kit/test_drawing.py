"""Pictures of positions, for notebooks: valid, and with every card that is shown."""

from tests.support.games import EACH_GAME, make
from tests.support.helpers import titles_in


@EACH_GAME
def test_a_picture_shows_every_hand_and_what_has_been_played(game):
    env = make(game, seed=3)
    env.reset()
    title, *cards = titles_in(env._repr_svg_())
    assert title.startswith(env.title)
    hands = sum(len(hand.split()) for hand in env.get_perfect_information()['hand_cards'])
    assert len(set(cards)) == hands > 30
    while len(env.game.round.trace) < 7:
        env.step(next(iter(env.get_state(env.get_player_id())['legal_actions'])))
    assert titles_in(env.to_record()._repr_svg_()) == titles_in(env._repr_svg_())
