/** Moves by trick, and cards seen. */

import { cardsOf, miniMove, rankText, spoken, suitIcon } from './cards.js';
import { h } from './dom.js';
import { game } from './game.js';
import { callName } from './people.js';
import { t } from './strings.js';

/** List the tricks, newest last; with `onply` each move is a button. */
export function tricks(view, onply = null, ply = null) {
  const starts = view.tricks;
  const rows = starts.map((from, i) => trick(view, game.trickName(i), from, starts[i + 1] ?? view.log.length, onply, ply));
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
  return h('li', {}, h('span', { class: 'number' }, h('span', { class: 'unseen' }, t('log.trick')), number), h('span', { class: 'trick' }, ...moves));
}

/** Draw the deck: own, played and remaining cards. */
export function seen(view) {
  const own = new Set(cardsOf(view.hand));
  const played = new Set([...view.log.flatMap(([, move]) => cardsOf(move)), ...cardsOf(view.dead)]);
  const state = (card) => (own.has(card) ? 'own' : played.has(card) ? 'gone' : 'out');
  const cell = (card) => h('td', { class: `${state(card)} ${card[1]}` },
    h('span', { 'aria-hidden': 'true' }, rankText(card[0])), h('span', { class: 'unseen' }, `${spoken(card)}: ${t(`seen.${state(card)}`)}`));
  const row = (suit) => h('tr', {}, h('th', { scope: 'row', class: suit }, suitIcon(suit), h('span', { class: 'unseen' }, t(`suit.${suit}`))),
    ...[...game.ranks].map((rank) => cell(rank + suit)));
  return h('table', { class: 'deck' }, h('caption', {}, t('seen.legend')), h('tbody', {}, ...[...game.suits].reverse().map(row)));
}
