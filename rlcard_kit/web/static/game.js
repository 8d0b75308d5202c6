/** The game that the page shows: its own module, strings and style. */

import { h } from './dom.js';
import { t, useStrings } from './strings.js';

/** The pieces of the current game; `rlcard_big2/web/static/game.js` is an example. */
export let game = null;

/** Make a game the current one, by its key. */
export async function useGame(key) {
  if (game?.key !== key) {
    const pieces = await import(`./${key}/game.js`);
    game = pieces.default;
    useStrings(key);
    if (game.hasStyle) document.head.append(h('link', { rel: 'stylesheet', href: `static/${key}/style.css` }));
  }
  document.documentElement.dataset.game = key;
  document.title = t('game.title');
  document.getElementById('brand').textContent = t('game.title');
  document.getElementById('rules-link').href = `?rules&game=${key}`;
}
