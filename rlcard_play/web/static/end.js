/** End of a game: results, mistakes, and next actions. */

import { reasonLine } from './advice.js';
import { api } from './api.js';
import { miniMove } from './cards.js';
import { countedLink } from './counted.js';
import { button, h } from './dom.js';
import { game } from './game.js';
import { preference } from './preferences.js';
import { copyLine, goToTable } from './seating.js';
import { shareButtons } from './share.js';
import { t } from './strings.js';
import { isAlone } from './transport.js';

/** Draw the end of a game. */
export function endPanel(view) {
  const { over } = view;
  return h('section', { class: 'end', 'aria-label': t('end.label'), tabindex: -1 },
    h('div', { class: 'table-wrap' }, game.results(view)),
    countedLink(view), next(view),
    costliest(over, view), share(over));
}

function costliest(over, view) {
  if (view.you === null) return null;
  const { choices } = over;
  if (choices === null) return h('p', { class: 'quiet', 'aria-busy': 'true' }, t('end.looking'));
  if (!choices.length) return h('p', { class: 'quiet' }, t('end.no mistakes'));
  return h('div', { class: 'costliest' }, h('h3', {}, t('end.costliest')), h('ol', {}, ...choices.map((one) => choice(one, over))));
}

function choice(one, over) {
  return h('li', {}, h('span', { class: 'choice-move' }, t('end.move', { n: one.ply + 1 }), ' ', miniMove(one.move)), h('span', { class: 'cost' }, game.cost(one)),
    one.mark && h('span', { class: `mark ${one.mark}` }, t(`mark.${one.mark}`)),
    h('a', { class: 'button small', href: `?try=${over.record}&ply=${one.ply}` }, t('end.try again')),
    one.reason && reasonLine(one.best, one));
}

function next(view) {
  if (view.you === null) return view.over.next && h('a', { class: 'button primary', href: `?table=${view.over.next}` }, t('end.watch next'));
  const problem = h('p', { class: 'problem', role: 'alert' });
  const go = (request) => () => goToTable(request(), problem);
  return h('div', { class: 'controls' },
    view.over.next && h('p', {}, t('end.next began')),
    button(game.next(view), go(() => api.next(view.table)), { class: 'primary' }),
    button(t('end.next seat'), go(() => api.open(nextSeat(view))), { title: t('end.next seat title') }),
    view.over.record && h('a', { class: 'button', href: `?record=${view.over.record}` }, t('end.replay')), problem);
}

/** Return the request for the same deal with all players moved one seat. */
function nextSeat(view) {
  const seats = view.seats.map((seat, i) => (i === view.you ? 'me' : seat.agent ?? 'open'));
  return { game: view.game, rules: view.rules, seats: [seats.at(-1), ...seats.slice(0, -1)], practice: true, name: preference('name', '') || undefined, deal: view.over.deal.code };
}

function share(over) {
  return h('details', { class: 'share' }, h('summary', {}, t('end.share')),
    over.record && shareButtons(() => api.record(over.record), () => over.choices?.[0]?.ply ?? 0),
    over.record && !isAlone && copyLine(t('link.replay'), `?record=${over.record}`),
    h('p', { class: 'quiet' }, t('end.deal'), ' ', h('code', {}, over.deal.code)),
    h('p', { class: 'quiet' }, t('end.commitment'), ' ', h('code', { class: 'long' }, over.deal.commitment), ' ', h('code', { class: 'long' }, over.deal.nonce)));
}
