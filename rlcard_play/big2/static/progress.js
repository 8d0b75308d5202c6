/** What My progress counts in games of Big 2. */

import { cardsOf, PASS } from '../cards.js';

const FEW = 3; // cards of a player in an endgame

/** Marked moves a game, and shares of habits, of the levels up to hard: `benchmarks.levels`. */
export const levels = { marks: [0.74, 0.53, 0.13], habits: { pass: [0.18, 0.16, 0.19], single: [0.47, 0.41, 0.47] } };

/** Return whether the levels were measured with as many players and cards as a record has. */
export function isMeasured({ hands }) {
  return hands.length === 4 && hands.every((hand) => cardsOf(hand).length === 13);
}

/** Return the themes of a mistake in a position, as puzzles have them, given the judgements of the best move and of the one that was made. */
export function themes({ hands, left, to_move: seat }, best, made) {
  const hand = cardsOf(hands[seat]);
  const breaks = ({ move }) => cardsOf(move).some((card) => hand.some((other) => other[0] === card[0] && !cardsOf(move).includes(other)));
  const found = { break: breaks(best) !== breaks(made), control: made.reason?.event === 'lead', endgame: Math.min(...left) <= FEW, pass: (best.move === PASS) !== (made.move === PASS), win: best.grade === 'certain' };
  return Object.keys(found).filter((name) => found[name]);
}

/** Return the habit that a choice of a game belongs to, and whether it shows it. */
export function habit({ ply, move }, { tricks }) {
  return tricks.includes(ply) ? ['single', cardsOf(move).length === 1] : ['pass', move === PASS];
}
