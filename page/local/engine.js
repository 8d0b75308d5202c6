/** The engine of the games: kernels that are compiled to WebAssembly, loaded once. */

import { loadGame } from '../engine/engine.js';
import { Refused } from './refused.js';

// The smallest module with an instruction of SIMD, which the engine uses.
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

/** Load the engine of a game. */
export async function loadEngine(key) {
  if (typeof WebAssembly !== 'object' || !WebAssembly.validate(SIMD)) throw new Refused(503, 'local.no engine');
  try {
    return await loadGame(key);
  } catch (error) {
    console.error(error);
    throw new Refused(503, 'error.network');
  }
}

// numpy's SeedSequence, by which a deal `seed/number` has its stream of random numbers.

const SHIFT = 16;
const WORDS = 4; // of the pool

/** Return the stream of a deal: the word of 64 bits that it is drawn from. */
export function streamOf({ seed, number }) {
  const pool = poolOf(seed);
  let factor = 0x8b51f9dd;
  let [low, high] = [0, 0];
  for (let i = 0; i < 2 * (number + 1); i += 1) {
    let word = (pool[i % WORDS] ^ factor) >>> 0;
    factor = Math.imul(factor, 0x58f38ded) >>> 0;
    word = Math.imul(word, factor) >>> 0;
    [low, high] = [high, (word ^ word >>> SHIFT) >>> 0];
  }
  return BigInt(high) << 32n | BigInt(low);
}

/** Return the draws of a stream, as `rlcard_kit.rng` makes them: `bits` of 64, and a `number` from 0 to 1. */
export function drawsOf(stream) {
  const bits = () => {
    stream = BigInt.asUintN(64, stream + 0x9e3779b97f4a7c15n);
    let mixed = BigInt.asUintN(64, (stream ^ stream >> 30n) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ mixed >> 27n) * 0x94d049bb133111ebn);
    return mixed ^ mixed >> 31n;
  };
  return { bits, number: () => Number(bits() >> 32n) * 2 ** -32 };
}

function poolOf(seed) {
  let factor = 0x43b0d7e5;
  const hashed = (value) => {
    let word = (value ^ factor) >>> 0;
    factor = Math.imul(factor, 0x931e8875) >>> 0;
    word = Math.imul(word, factor) >>> 0;
    return (word ^ word >>> SHIFT) >>> 0;
  };
  const pool = Array.from({ length: WORDS }, (_, i) => hashed(i ? 0 : seed));
  for (let from = 0; from < WORDS; from += 1) {
    for (let to = 0; to < WORDS; to += 1) {
      if (from === to) continue;
      const word = (Math.imul(pool[to], 0xca01f9dd) - Math.imul(hashed(pool[from]), 0x4973f715)) >>> 0;
      pool[to] = (word ^ word >>> SHIFT) >>> 0;
    }
  }
  return pool;
}
