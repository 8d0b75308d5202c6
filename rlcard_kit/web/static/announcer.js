/** The live region: the last event, and why the selection is not legal. */

import { h } from './dom.js';

const event = h('span', { class: 'event' });
const reason = h('span', { class: 'reason', lang: 'en' }); // an error of the engine, in English

/** The element; each screen places it. */
export const line = h('p', { class: 'live', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'false' }, event, reason);

/** Announce an event. */
export function announce(text) {
  if (event.textContent !== text) event.textContent = text;
}

/** Show why the selection is not legal; '' clears it. */
export function showReason(text) {
  if (reason.textContent !== text) reason.textContent = text;
}
