/** Thinks about positions of Big 2, for as long as it takes: deep looks, and the moves of agents that search. */

import { loadGame, Position } from '../engine/engine.js';
import { look } from '../engine/look.js';
import { loadPlayers } from '../engine/rollouts.js';
import { search } from '../engine/search.js';

const loaded = new Map(); // promises of players, by rules
let loading = null;

async function playersFor(game, rules) {
  const key = JSON.stringify(rules.fields);
  if (!loaded.has(key)) loaded.set(key, loadPlayers(game, rules));
  try {
    return await loaded.get(key);
  } catch (error) {
    loaded.delete(key); // to be tried again
    throw error;
  }
}

async function think({ id, fields, state, moves, worlds }) {
  loading ??= loadGame('big2');
  const game = await loading;
  const position = new Position(game, game.rules(fields), state);
  const players = await playersFor(game, position.rules);
  if (worlds) return search(players, position, { worlds }).move;
  return look(players, position, moves, { onprogress: (share) => postMessage({ id, share }) });
}

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, found: await think(data) });
  } catch (error) {
    console.warn(error);
    postMessage({ id: data.id, failed: true });
  }
};
