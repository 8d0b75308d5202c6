/** Files that are written when the page is built. */

import { unzip } from '../engine/network.js';
import { once } from './once.js';
import { Refused } from './refused.js';

const known = new Map(); // promises by name

/** Return the value of a file of JSON, loaded once. */
export function loadJson(name) {
  return load(`${name}.json`, (response) => response.json());
}

/** Return the combinations of Big 2 under any rules, as masks ascending by action id, loaded once. */
export function loadCombinations() {
  return load('combinations.bin', async (response) => {
    const bytes = await unzip(await response.arrayBuffer()); // all low bytes first
    const count = bytes.length / 8;
    return Array.from({ length: count }, (_, i) => Array.from({ length: 8 }, (_byte, k) => bytes[k * count + i] * 256 ** k).reduce((a, b) => a + b));
  });
}

function load(file, read) {
  return once(known, file, async () => {
    const response = await fetch(new URL(`data/${file}`, import.meta.url)).catch(() => null);
    if (!response?.ok) throw new Refused(503, 'error.network');
    return read(response);
  });
}
