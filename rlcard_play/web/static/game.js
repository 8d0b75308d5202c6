/** The game that the page shows: its own modules, strings and style. */

import { t, useStrings } from './strings.js';

/** The pieces of the current game, once there is one; `rlcard_play/big2/static/game.js` is an example. */
export const game = {};

/** Make a game the current one, by its key. */
export async function useGame(key) {
  Object.setPrototypeOf(game, (await loadModule(`./${key}/game.js`)).default);
  useStrings(key);
  document.documentElement.dataset.game = key;
  document.title = t('game.title');
  document.getElementById('brand').textContent = t('game.title');
  document.getElementById('rules-link').href = `?rules&game=${key}`;
}

/** Return a module, by its address from here. */
export async function loadModule(path) {
  return await import(path);
}
