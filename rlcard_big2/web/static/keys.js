/** Keys of a screen. Those of one character can be switched off, as people who dictate need it. */

import { preference } from './preferences.js';

let current = null;

/**
 * Use these keys until others are used.
 *
 * @param actions functions by the name of the key
 */
export function useKeys(actions) {
  current = actions;
}

document.addEventListener('keydown', (event) => {
  const action = current?.[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
  if (event.key.length === 1 && !preference('keys', true)) return;
  event.preventDefault();
  action(event);
});

/** Whether the key means something where it was pressed. */
function isTaken(event) {
  const { target } = event;
  if (document.querySelector('dialog[open]') || target.closest('input:not([type=checkbox]), select, textarea')) return true;
  const presses = event.key === 'Enter' || event.key === ' ';
  return presses && target.closest('button, a, summary, input') && !target.closest('.card');
}
