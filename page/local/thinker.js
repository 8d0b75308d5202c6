/** Thinks about positions, for as long as it takes: deep looks, the moves of agents that search, and checks of grades. */

import * as catch5 from '../engine/catch5.js';
import { loadGame, Position } from '../engine/engine.js';
import { look } from '../engine/look.js';
import { loadNetwork } from '../engine/network.js';
import { loadPlayers } from '../engine/rollouts.js';
import { search } from '../engine/search.js';
import { once } from './once.js';

const KINDS = {
  big2: { load: loadPlayers, look, search },
  catch5: { load: (game, rules) => loadNetwork(game, 'catch5-ppo', rules), ...catch5 },
};
const loaded = new Map(); // promises of games and networks, by key

async function think({ id, key, fields, state, trace, moves, worlds, stream, deals, streams }) {
  const game = await once(loaded, key, () => loadGame(key));
  const position = new Position(game, game.rules(fields), state, trace);
  const kind = KINDS[key];
  const players = await once(loaded, `${key} ${JSON.stringify(fields)}`, () => kind.load(game, position.rules));
  if (worlds) return kind.search(players, position, { worlds, stream }).move;
  const found = kind.look(players, position, moves, { deals, streams, onprogress: (share) => postMessage({ id, share }) });
  return found.map((one) => ({ ...one, move: position.text(one.move) }));
}

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, found: await think(data) });
  } catch (error) {
    console.warn(error);
    postMessage({ id: data.id, failed: true });
  }
};
