/** The trick of Catch Five: each card before its player. */

import { still } from '../cards.js';
import { h } from '../dom.js';
import { callName } from '../people.js';
import { t } from '../strings.js';

export const CARDS_FROM = 5; // ply of the first card
const SIDES = ['own', 'next', 'partner', 'previous'];

/** Return the cards of the current trick, as [seat, card]. */
export function trickCards(view) {
  return view.log.slice(CARDS_FROM + 4 * view.winners.length);
}

/** Describe the end of the last trick; '' before it. */
export function endOfTrick(view) {
  const number = view.winners.length;
  if (!number) return '';
  const points = view.trick_points[number - 1];
  return t(points ? 'board.won points' : 'board.won', { name: callName(view, view.winners[number - 1]), n: points });
}

/** Draw the cards of the current trick, or those of the last one until somebody leads. */
export function tricksTable(view) {
  const current = trickCards(view);
  const isOver = !current.length && view.winners.length > 0;
  const shown = isOver ? view.log.slice(view.tricks[view.winners.length]).slice(0, 4) : current;
  const winner = isOver ? view.winners[view.winners.length - 1] : null;
  const slot = (step) => {
    const seat = ((view.you ?? 0) + step) % 4;
    const found = shown.find(([player]) => player === seat);
    return h('div', { class: `slot ${SIDES[step]}${seat === winner ? ' won' : ''}${seat === view.to_move ? ' moves' : ''}`, 'data-pile': seat }, found ? still(found[1]) : null);
  };
  return h('div', { class: `trick-cards${isOver ? ' over' : ''}`, role: 'group', 'aria-label': t('board.trick') }, ...SIDES.map((_, step) => slot(step)));
}
