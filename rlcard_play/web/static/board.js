/** The public part of a table: the other seats, and news of it. */

import { h } from './dom.js';
import { game } from './game.js';
import { callName, others, placeOf, portrait, roleName } from './people.js';
import { bubble } from './phrases.js';
import { agentName, signed, t } from './strings.js';

/** Draw the seats of a view, except the viewer's own; in a game with piles each lies before its seat. */
export function seats(view) {
  const shown = others(view);
  return h('ul', { class: `seats n${shown.length}`, 'aria-label': t('board.seats') }, ...shown.map((seat) => seatBox(view, seat)));
}

/** Draw the viewer's own seat. */
export function ownSeat(view) {
  const moves = view.to_move === view.you;
  return h('div', { class: 'own' }, pile(view, view.you), h('div', { class: `own-seat${moves ? ' moves' : ''}`, 'data-seat': view.you },
    h('span', { class: 'place' }, t('seat.you')), game.mark(view, view.you), !game.pile && game.last(view, view.you), bubble(view, view.you)));
}

function seatBox(view, seat) {
  const { open, here, agent, stand_in: standIn } = view.seats[seat];
  const left = view.left[seat];
  const moves = view.to_move === seat;
  const won = view.over && view.over.payoffs[seat] === Math.max(...view.over.payoffs);
  const away = !open && !agent && !here;
  const box = h('div', { class: `seat${moves ? ' moves' : ''}${won ? ' won' : ''}${left === 1 ? ' last-card' : ''}`, 'data-seat': seat },
    h('div', { class: 'seat-head' },
      agent && portrait(seat), h('span', { class: 'place' }, callName(view, seat)), game.mark(view, seat),
      h('span', { class: 'fan', 'aria-hidden': 'true' }, ...Array.from({ length: left }, () => h('span', { class: 'back' }))),
      h('span', { class: 'left', title: t('seat.cards', { n: left }) }, h('span', { class: 'back', 'aria-hidden': 'true' }), h('span', { 'aria-hidden': 'true' }, String(left)),
        h('span', { class: 'unseen' }, t('seat.cards', { n: left })))),
    h('div', { class: 'player' }, roleName(view, seat),
      standIn ? h('span', { class: 'away' }, t('seat.stand in', { agent: agentName(standIn) })) : away && h('span', { class: 'away' }, t('seat.away'))),
    view.over ? h('strong', { class: 'payoff' }, signed(view.over.payoffs[seat])) : !game.pile && h('div', { class: 'last' }, game.last(view, seat) ?? thinking(view, seat)), bubble(view, seat));
  return h('li', { class: `at-${placeOf(view, seat)}`, 'aria-current': moves ? 'true' : null }, box, pile(view, seat));
}

/** Draw what a seat has played, in a game with piles. */
function pile(view, seat) {
  return game.pile && h('div', { class: 'pile', 'data-pile': seat }, game.pile(view, seat) ?? thinking(view, seat));
}

function thinking(view, seat) {
  const isAwaited = view.to_move === seat && seat !== view.you && !view.seats[seat].open;
  return isAwaited ? h('span', { class: 'thinking' }, h('span', { class: 'unseen' }, t('seat.moves'))) : null;
}

/** Return a view as it was when its last trick was won, with `won`; nobody is to move in it. */
export function asWon(view) {
  const ended = game.ended(view);
  return { ...view, won: true, log: view.log.slice(0, view.tricks[ended]), tricks: view.tricks.slice(0, ended), table_hand: null, to_move: null };
}

/** Describe the changes between two views of a table. */
export function happened(before, view) {
  const moves = view.log.slice(before?.log.length ?? view.log.length).map(([seat, move]) => game.played(view, seat, move));
  return [...moves, ...game.news(before, view)].filter(Boolean).join(' ');
}
