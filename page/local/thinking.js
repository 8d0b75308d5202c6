/** Deep looks and searches: they take seconds, so a worker of their own makes them, one after the other. */

import { Refused } from './refused.js';

const waiting = new Map(); // functions of the tasks that are not done, by number
let worker = null;
let last = 0;

/** Return estimates of moves of a position, in Catch Five of all, the best first; `onprogress` is called with the share that is done. */
export function lookAt(position, deals, moves, onprogress) {
  return think(position, { deals, moves }, onprogress);
}

/** Return the move that a search chooses in deals of the hidden cards. */
export function searchFor(position, worlds) {
  return think(position, { worlds });
}

function think({ core }, task, onprogress = () => {}) {
  worker ??= started();
  const id = last += 1;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, onprogress });
    worker.postMessage({ id, key: core.game.name, fields: core.rules.fields, state: core.state, ...task });
  });
}

function started() {
  const made = new Worker(new URL('thinker.js', import.meta.url), { type: 'module' });
  made.onmessage = ({ data: { id, share, found, failed } }) => {
    const { resolve, reject, onprogress } = waiting.get(id);
    if (share !== undefined) return onprogress(share);
    waiting.delete(id);
    return failed ? reject(new Refused(503, 'local.not loaded')) : resolve(found);
  };
  made.onerror = () => { // its files could not be loaded
    for (const { reject } of waiting.values()) reject(new Refused(503, 'local.not loaded'));
    waiting.clear();
    worker = null; // to be tried again
  };
  return made;
}
