/** Deep looks, searches and checks of grades: they take seconds, so workers of their own make them, one task after the other. */

import { GROUPS } from '../engine/constants.js';
import { CONFIRMING } from './data/constants.js';
import { streamOf } from './engine.js';
import { Refused } from './refused.js';

const STREAMS = Array.from({ length: GROUPS }, (_, number) => streamOf({ seed: 0, number })); // of the deals, as on the server

/** A worker, which is started when it is first needed. */
class Thinker {
  #worker = null;
  #waiting = new Map(); // functions of the tasks that are not done, by number
  #last = 0;

  /** Return what the worker finds about a position; `onprogress` is called with the share that is done. */
  think({ core }, task, onprogress = () => {}) {
    this.#worker ??= this.#started();
    const id = this.#last += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onprogress });
      this.#worker.postMessage({ id, key: core.game.name, fields: core.rules.fields, state: core.state, trace: core.trace, streams: STREAMS, ...task });
    });
  }

  #started() {
    const made = new Worker(new URL('thinker.js', import.meta.url), { type: 'module' });
    made.onmessage = ({ data: { id, share, found, failed } }) => {
      const { resolve, reject, onprogress } = this.#waiting.get(id);
      if (share !== undefined) return onprogress(share);
      this.#waiting.delete(id);
      return failed ? reject(new Refused(503, 'error.network')) : resolve(found);
    };
    made.onerror = () => { // its files could not be loaded
      for (const { reject } of this.#waiting.values()) reject(new Refused(503, 'error.network'));
      this.#waiting.clear();
      this.#worker = null; // to be tried again
    };
    return made;
  }
}

const [thinker, grader] = [new Thinker(), new Thinker()]; // a game goes on while grades are checked

/** Return estimates of moves of a position, given as text, the best first. */
export function lookAt(position, deals, moves, onprogress) {
  return thinker.think(position, { deals, moves: numbered(position, moves) }, onprogress);
}

/** Return the move that a search chooses in deals of the hidden cards; they are drawn by chance, or from a stream. */
export function searchFor(position, worlds, stream) {
  return thinker.think(position, { worlds, stream });
}

/** Return the estimate of a move that rollouts find clearly worse than the best one, else null, as `rlcard_play.study.review` does. */
export async function worse(position, deals, best, move, onprogress) {
  const [first, second] = await grader.think(position, { deals, moves: numbered(position, [best, move]) }, onprogress);
  return first.move === best && second.behind > CONFIRMING * second.behind_margin ? second : null;
}

function numbered({ legal, choices }, moves) {
  return moves.map((move) => choices[legal.indexOf(move)]);
}
