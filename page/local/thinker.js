/** Thinks about positions, for as long as it takes: deep looks, and the moves of agents that search. */

import { loadGame, Position } from '../engine/engine.js';
import { look } from '../engine/look.js';
import { loadNetwork } from '../engine/network.js';
import { loadPlayers } from '../engine/rollouts.js';
import { search } from '../engine/search.js';
import { lookAtAll } from './look5.js';
import { once } from './once.js';

const loaded = new Map(); // promises of games and networks, by key

async function think({ id, key, fields, state, moves, worlds, deals }) {
  const game = await once(loaded, key, () => loadGame(key));
  const position = new Position(game, game.rules(fields), state);
  const onprogress = (share) => postMessage({ id, share });
  if (key === 'catch5') return lookAtAll(await once(loaded, 'catch5-ppo', () => loadNetwork(game, 'catch5-ppo', fields)), position, deals, onprogress);
  const players = await once(loaded, JSON.stringify(fields), () => loadPlayers(game, position.rules));
  if (worlds) return search(players, position, { worlds }).move;
  return look(players, position, moves, { deals, onprogress });
}

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, found: await think(data) });
  } catch (error) {
    console.warn(error);
    postMessage({ id: data.id, failed: true });
  }
};
