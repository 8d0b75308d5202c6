/** The games of the page. */

import { Big2 } from './big2.js';
import { Catch5 } from './catch5.js';

const KINDS = { big2: Big2, catch5: Catch5 };

/** Return the games of the options, by key. */
export function loadGames({ games, version }) {
  return Object.fromEntries(games.map((options) => [options.game, new KINDS[options.game](options, version)]));
}
