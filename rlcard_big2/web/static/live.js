/** The one line that is read out when something happens: the event, and what is wrong with the lifted cards. */

import { h } from './dom.js';

const event = h('span', { class: 'event' });
const reason = h('span', { class: 'reason', lang: 'en' }); // the engine's own sentence

/** The line: each screen puts it where it belongs. */
export const line = h('p', { class: 'live', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'false' }, event, reason);

/** Say what happened. */
export function say(text) {
  if (event.textContent !== text) event.textContent = text;
}

/** Say what is wrong with a choice; '' says nothing any more. */
export function object(text) {
  if (reason.textContent !== text) reason.textContent = text;
}
