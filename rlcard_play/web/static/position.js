/** Positions of recorded games, drawn like tables. */

import { ownSeat, seats } from './board.js';
import { cardsOf, still } from './cards.js';
import { h } from './dom.js';
import { game } from './game.js';
import { inOrder, placeName, playerName } from './people.js';
import { t } from './strings.js';

/** Return a position as the view of a seat; `you` is null to show all seats equally. */
export function asView(position, you) {
  const people = position.seats.map((seat) => ({ open: false, here: true, stand_in: null, ...seat }));
  return { ...position, seats: people, you, hand: you === null ? null : position.hands[you], over: null, auto: null };
}

/** Draw the table of a position from one seat. */
export function table(view) {
  return h('div', { class: `felt ${game.key}` }, game.facts(view), seats(view), game.middle(view), ownSeat(view));
}

/** Draw all known hands of a position. */
export function hands(view, position) {
  const rows = inOrder(view).map((seat) => {
    const hand = position.hands[seat];
    const cards = hand === null
      ? h('span', { class: 'backs', role: 'img', 'aria-label': t('replay.hidden', { n: position.left[seat] }) },
        ...Array.from({ length: position.left[seat] }, () => h('span', { class: 'back' })))
      : h('span', { class: 'stills' }, ...cardsOf(hand).map(still));
    const moves = position.to_move === seat;
    return h('li', { class: `hand-row${moves ? ' moves' : ''}`, 'aria-current': moves ? 'true' : null },
      h('div', { class: 'who' }, h('span', { class: 'place' }, placeName(view, seat)), h('span', { class: 'player' }, playerName(view, seat)),
        game.mark(view, seat), h('span', { class: 'last' }, game.last(view, seat))), cards);
  });
  return h('ul', { class: 'all-hands' }, ...rows);
}
