/** The game that the page shows: its own module, strings and style. */

import { ApiError } from './api_error.js';
import { h } from './dom.js';
import { t, useStrings } from './strings.js';

/** The pieces of the current game; `rlcard_play/big2/static/game.js` is an example. */
export let game = null;

/** Make a game the current one, by its key. */
export async function useGame(key) {
  if (game?.key !== key) {
    const [pieces] = await Promise.all([loadModule(`./${key}/game.js`), addStyle(new URL(`./${key}/style.css`, import.meta.url).href)]);
    game = pieces.default;
    useStrings(key);
  }
  document.documentElement.dataset.game = key;
  document.title = t('game.title');
  document.getElementById('brand').textContent = t('game.title');
  document.getElementById('rules-link').href = `?rules&game=${key}`;
}

/** Import a module; ApiError in the user's language if it cannot be loaded. */
export async function loadModule(path) {
  try {
    return await import(path);
  } catch (error) {
    console.error(error);
    throw new ApiError(0, t('error.network'));
  }
}

/** Add a style sheet once; return when it applies, so that nothing is drawn without it. */
async function addStyle(href) {
  if (document.querySelector(`link[href="${href}"]`)) return;
  const sheet = h('link', { rel: 'stylesheet', href });
  document.head.append(sheet);
  await new Promise((resolve) => { sheet.onload = sheet.onerror = resolve; });
}
