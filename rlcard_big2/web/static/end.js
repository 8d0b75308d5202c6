/** End of a game: hands, payoffs, costliest mistakes, and next actions. */

import { api } from './api.js';
import { cardsOf, mini, miniMove } from './cards.js';
import { button, h } from './dom.js';
import { placeName, playerName } from './people.js';
import { preference } from './preferences.js';
import { copyLine } from './seating.js';
import { percent, signed, t } from './strings.js';

/** Draw the end of a game. */
export function endPanel(view) {
  const { over } = view;
  return h('section', { class: 'end', 'aria-label': t('end.label') }, h('h2', { tabindex: -1 }, headline(view)),
    h('div', { class: 'table-wrap' }, h('table', { class: 'results' },
      h('thead', {}, h('tr', {}, ...['seat', 'hand', 'payoff'].map((key) => h('th', { scope: 'col' }, t(`end.${key}`))))),
      h('tbody', {}, ...[0, 1, 2, 3].map((step) => result(view, ((view.you ?? 0) + step) % 4))))),
    view.you === null ? null : next(view),
    costliest(over, view), share(over));
}

function headline(view) {
  const { over, you } = view;
  if (you === over.winner) return t('end.won', { payoff: signed(over.payoffs[you]) });
  const name = playerName(view.seats[over.winner]);
  if (you === null) return t('end.wins', { name, payoff: signed(over.payoffs[over.winner]) });
  return t('end.lost', { name: `${placeName(view, over.winner)} (${name})`, payoff: signed(over.payoffs[you]) });
}

function result(view, seat) {
  const { over } = view;
  const played = new Set(view.log.filter(([mover]) => mover === seat).flatMap(([, move]) => cardsOf(move)));
  const left = cardsOf(over.hands[seat]).filter((card) => !played.has(card));
  const place = placeName(view, seat);
  const player = playerName(view.seats[seat]);
  return h('tr', { class: seat === over.winner ? 'winner' : null },
    h('th', { scope: 'row' }, place, seat === view.you || player === place ? null : h('span', { class: 'player' }, player)),
    h('td', {}, left.length ? h('span', { class: 'minis' }, ...left.map(mini)) : t('end.out')),
    h('td', { class: 'number' }, signed(over.payoffs[seat])));
}

function costliest(over, view) {
  if (view.you === null) return null;
  const { choices } = over;
  if (choices === null) return null;
  if (!choices.length) return h('p', { class: 'quiet' }, t('end.no mistakes'));
  return h('div', { class: 'costliest' }, h('h3', {}, t('end.costliest')), h('ol', {}, ...choices.map((one) => choice(one, over))));
}

function choice(one, over) {
  const cost = one.cards === null ? t('end.worse') : t('end.gave away', { cards: (one.best_cards - one.cards).toFixed(1), win: percent(one.lost) });
  return h('li', {}, h('span', { class: 'choice-move' }, t('end.move', { n: one.ply + 1 }), ' ', miniMove(one.move)), h('span', { class: 'cost' }, cost),
    one.mark && h('span', { class: `mark ${one.mark}` }, t(`mark.${one.mark}`)),
    h('a', { class: 'button small', href: `?try=${over.record}&ply=${one.ply}` }, t('end.try again')));
}

function next(view) {
  const problem = h('p', { class: 'problem', role: 'alert' });
  const open = (order) => async () => {
    try {
      location.assign(`?table=${(await api.open(order)).table}`);
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  return h('div', { class: 'controls' },
    button(t('end.new deal'), open(orderOf(view)), { class: 'primary' }),
    button(t('end.next seat'), open(nextSeat(view)), { title: t('end.next seat title') }),
    view.over.record && h('a', { class: 'button', href: `?record=${view.over.record}` }, t('end.replay')), problem);
}

/** Return the request for a table like this one. */
function orderOf(view) {
  const seats = view.seats.map((seat, i) => (i === view.you ? 'me' : seat.agent ?? 'open'));
  return { rules: view.rules, seats, practice: view.practice, name: preference('name', '') || undefined, deal: null };
}

/** Return the request for the same deal with all players moved one seat. */
function nextSeat(view) {
  const order = orderOf(view);
  return { ...order, seats: order.seats.map((_, i) => order.seats[(i + 3) % 4]), practice: true, deal: view.over.deal.code };
}

function share(over) {
  return h('details', { class: 'share' }, h('summary', {}, t('end.share')),
    over.record && copyLine(t('link.replay'), `?record=${over.record}`),
    h('p', { class: 'quiet' }, t('end.deal'), ' ', h('code', {}, over.deal.code)),
    h('p', { class: 'quiet' }, t('end.commitment'), ' ', h('code', { class: 'long' }, over.deal.commitment), ' ', h('code', { class: 'long' }, over.deal.nonce)));
}
