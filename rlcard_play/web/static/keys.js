/** Keyboard shortcuts of a screen. Single-key shortcuts can be switched off, for speech input. */

import { preference } from './preferences.js';

let current = null;

/**
 * Replace the current shortcuts.
 *
 * @param actions functions by key name
 */
export function useKeys(actions) {
  current = actions;
}

/** Whether focus is shown: after a key, not after a pointer. */
for (const type of ['keydown', 'pointerdown']) {
  document.addEventListener(type, () => document.documentElement.classList.toggle('by-keys', type === 'keydown'), true);
}

document.addEventListener('keydown', (event) => {
  const action = current?.[event.key?.length === 1 ? event.key.toLowerCase() : event.key]; // also with Caps Lock or Shift
  if (!action || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
  if (event.key.length === 1 && !preference('keys', true)) return;
  event.preventDefault();
  action(event);
});

/** Whether the focused element handles the key itself. */
function isTaken(event) {
  const { target } = event;
  if (document.querySelector('dialog[open]') || target.closest('input:not([type=checkbox]), select, textarea')) return true;
  const presses = event.key === 'Enter' || event.key === ' ';
  return presses && target.closest('button, a, summary, input') && !target.closest('.card');
}
