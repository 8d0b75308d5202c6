/** The live region: the last event, and why the selection is not legal. */

import { cardsOf, cardText } from './cards.js';
import { h } from './dom.js';
import { rulesAddress } from './rules.js';
import { t } from './strings.js';

const event = h('span', { class: 'event' });
const reason = h('span', { class: 'reason' });
const rules = h('a', { class: 'reason-rules', target: '_blank', hidden: true });

/** The element; each screen places it. */
export const line = h('p', { class: 'live', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'false' }, event, reason, rules);

/** Announce an event. */
export function announce(text) {
  if (event.textContent !== text) event.textContent = text;
}

/** Return why a selection is not legal where there is no table to ask, in place of the last event. */
export async function refused() {
  announce('');
  return t('try.not legal');
}

/** Say why a move is not legal; '' if it is. */
export function refusal({ reason, values }) {
  if (!reason) return '';
  const cards = Object.fromEntries(['cards', 'beat'].map((name) => [name, cardsOf(values[name]).map(cardText).join(' ')]));
  return t(`why.${reason}`, { ...values, ...cards, suit: values.suit && t(`suit.${values.suit}`) });
}

/** Show why the selection is not legal, with a link to these rules; '' clears it. */
export function showReason(text, ofRules = null) {
  if (reason.textContent === text) return;
  reason.textContent = text;
  rules.hidden = !text || ofRules === null;
  if (rules.hidden) return;
  rules.href = rulesAddress(ofRules);
  rules.textContent = t('nav.rules');
}
