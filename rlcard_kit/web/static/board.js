/** The public part of a table: the other seats, and news of it. */

import { h } from './dom.js';
import { game } from './game.js';
import { agentName, others, placeName, playerName, portrait } from './people.js';
import { bubble } from './phrases.js';
import { t } from './strings.js';

/** Draw the seats of a view, except the viewer's own. */
export function seats(view) {
  const shown = others(view);
  return h('ul', { class: `seats n${shown.length}`, 'aria-label': t('board.seats') }, ...shown.map((seat) => seatBox(view, seat)));
}

function seatBox(view, seat) {
  const { open, here, agent, stand_in: standIn } = view.seats[seat];
  const left = view.left[seat];
  const moves = view.to_move === seat;
  const away = !open && !agent && !here;
  return h('li', { class: `seat${moves ? ' moves' : ''}${left === 1 ? ' last-card' : ''}`, 'aria-current': moves ? 'true' : null },
    h('div', { class: 'seat-head' },
      agent && portrait(seat), h('span', { class: 'place' }, placeName(view, seat)), game.mark(view, seat),
      h('span', { class: 'fan', 'aria-hidden': 'true' }, ...Array.from({ length: left }, () => h('span', { class: 'back' }))),
      h('span', { class: 'left', title: t('seat.cards', { n: left }) }, h('span', { class: 'back', 'aria-hidden': 'true' }), String(left),
        h('span', { class: 'unseen' }, t('seat.cards', { n: left })))),
    h('div', { class: 'player' }, playerName(view, seat),
      standIn ? h('span', { class: 'away' }, t('seat.stand in', { agent: agentName(standIn) })) : away && h('span', { class: 'away' }, t('seat.away'))),
    h('div', { class: 'last' }, lastMove(view, seat)), bubble(view, seat));
}

function lastMove(view, seat) {
  const last = game.last(view, seat);
  if (last) return last;
  return view.to_move === seat && !view.seats[seat].open ? h('span', { class: 'thinking' }, t('seat.moves')) : null;
}

/** Describe the changes between two views of a table. */
export function happened(before, view) {
  const moves = view.log.slice(before?.log.length ?? view.log.length).map(([seat, move]) => game.played(view, seat, move));
  return [...moves, ...game.news(before, view)].filter(Boolean).join(' ');
}
