/** Moves by trick, and cards seen. */

import { cardsOf, miniMove, RANKS, rankText, spoken, SUITS } from './cards.js';
import { h, svg } from './dom.js';
import { callName } from './people.js';
import { t } from './strings.js';

/** List the tricks, newest last; with `onply` each move is a button. */
export function tricks(view, onply = null, ply = null) {
  const starts = view.tricks;
  const rows = starts.map((from, i) => trick(view, i + 1, from, starts[i + 1] ?? view.log.length, onply, ply));
  return rows.length ? h('ol', { class: 'tricks' }, ...rows) : h('p', { class: 'quiet' }, t('log.none'));
}

function trick(view, number, from, to, onply, ply) {
  const moves = view.log.slice(from, to).map(([seat, move], i) => {
    const content = [h('span', { class: 'who' }, callName(view, seat)), ' ', miniMove(move)];
    if (!onply) return h('span', { class: 'entry-move' }, ...content);
    const at = from + i;
    const here = at === ply ? 'true' : null;
    return h('button', { type: 'button', class: 'entry-move', 'aria-current': here, onclick: () => onply(at) }, ...content);
  });
  return h('li', {}, h('span', { class: 'number' }, h('span', { class: 'unseen' }, t('log.trick')), String(number)), h('span', { class: 'trick' }, ...moves));
}

/** Draw the deck: own, played and remaining cards. */
export function seen(view) {
  const own = new Set(cardsOf(view.hand));
  const played = new Set(view.log.flatMap(([, move]) => cardsOf(move)));
  const state = (card) => (own.has(card) ? 'own' : played.has(card) ? 'gone' : 'out');
  const cell = (card) => h('td', { class: `${state(card)} ${card[1]}` },
    h('span', { 'aria-hidden': 'true' }, rankText(card[0])), h('span', { class: 'unseen' }, `${spoken(card)}: ${t(`seen.${state(card)}`)}`));
  const icon = (suit) => svg('svg', { class: 'suit', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('use', { href: `#suit-${suit}` }));
  const row = (suit) => h('tr', {}, h('th', { scope: 'row', class: suit }, icon(suit), h('span', { class: 'unseen' }, t(`suit.${suit}`))),
    ...[...RANKS].map((rank) => cell(rank + suit)));
  return h('table', { class: 'deck' }, h('caption', {}, t('seen.legend')), h('tbody', {}, ...[...SUITS].reverse().map(row)));
}

/** Count the others' played cards, and all their cards. */
export function seenCount(view) {
  const others = view.log.filter(([seat]) => seat !== view.you).flatMap(([, move]) => cardsOf(move)).length;
  const out = view.left.reduce((sum, left, seat) => sum + (seat === view.you ? 0 : left), 0);
  return { n: others, all: others + out };
}
