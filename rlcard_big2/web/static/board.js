/** The public part of a table: the other seats, and the combination to beat. */

import { cardsOf, miniMove, moveName, PASS, still } from './cards.js';
import { h } from './dom.js';
import { callName, others, placeName, playerName } from './people.js';
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
      h('span', { class: 'place' }, placeName(view, seat)),
      h('span', { class: 'left', title: t('seat.cards', { n: left }) }, h('span', { class: 'back', 'aria-hidden': 'true' }), String(left),
        h('span', { class: 'unseen' }, t('seat.cards', { n: left })))),
    h('div', { class: 'player' }, playerName(view.seats[seat]),
      standIn ? h('span', { class: 'away' }, t('seat.stand in', { agent: standIn })) : away && h('span', { class: 'away' }, t('seat.away'))),
    h('div', { class: 'last' }, lastMove(view, seat)));
}

function lastMove(view, seat) {
  const last = view.last[seat];
  if (last) return miniMove(last);
  return view.to_move === seat && !view.seats[seat].open ? h('span', { class: 'thinking' }, t('seat.moves')) : null;
}

/** Draw the combination to beat, or the player who leads. */
export function toBeat(view) {
  const table = view.table_hand;
  if (!table?.cards) return h('div', { class: 'to-beat free' }, h('p', {}, leads(view)));
  const by = h('p', {}, h('strong', {}, t(view.over ? 'board.last' : 'board.beat', { move: moveName(table.cards, table.kind), by: callName(view, table.by) })),
    table.passes && !view.over ? ` ${t('board.passes', { n: table.passes })}` : '');
  return h('div', { class: 'to-beat' }, by, h('div', { class: 'stills' }, ...cardsOf(table.cards).map(still)));
}

function leads(view) {
  if (view.to_move === null || view.seats[view.to_move].open) return t('board.waiting');
  return view.to_move === view.you ? t('board.you lead') : t('board.leads', { name: callName(view, view.to_move) });
}

/** Describe the changes between two views of a table. */
export function happened(before, view) {
  const news = view.log.slice(before?.log.length ?? view.log.length).map(([seat, move]) => played(view, seat, move));
  const lonely = view.left.flatMap((left, seat) => (left === 1 && before?.left[seat] > 1 && seat !== view.you ? [seat] : []));
  const warnings = lonely.map((seat) => t('say.one card', { name: callName(view, seat) }));
  return [...news, ...warnings, turn(view)].filter(Boolean).join(' ');
}

/** Describe a move. */
export function played(view, seat, move) {
  const table = view.table_hand;
  const kind = table && table.by === seat && table.cards === move ? table.kind : null;
  return t('say.played', { name: callName(view, seat), move: move === PASS ? t('move.pass') : moveWords(move, kind) });
}

function moveWords(move, kind) {
  return kind ? moveName(move, kind, true) : cardsOf(move).length === 1 ? moveName(move, 'singles', true) : t('say.cards', { n: cardsOf(move).length });
}

function turn(view) {
  if (view.over) return t('say.wins', { name: callName(view, view.over.winner) });
  if (view.to_move !== view.you || view.you === null) return '';
  if (view.legal.length === 1 && view.legal[0] === PASS) return t('say.only pass');
  return view.table_hand?.cards ? t('say.your turn') : t('say.you lead');
}
