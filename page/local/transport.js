/** Requests to the tables of this page, which live in a worker; it has the same routes as the server. */

import { ApiError } from './api_error.js';
import { known, loaded, t } from './strings.js';

/** Whether the tables are of this browser alone: nobody else can join or see them. */
export const isAlone = true;

const KEPT = 'big2'; // name of what a tab remembers if the browser keeps no games

const worker = new Worker(new URL('local/worker.js', import.meta.url), { type: 'module' });
const waiting = new Map(); // functions by the number of a request
const listeners = new Map(); // by number
let last = 0;
let broken = null; // why the worker does not run

worker.addEventListener('message', ({ data }) => {
  if (data.kept) remember(data.kept);
  else if (data.notice) notice(data.notice);
  else if (listeners.has(data.id)) listeners.get(data.id)(data);
  else settle(data);
});
worker.addEventListener('error', (event) => {
  if (event.message) console.error(event.message); // a fault of the page
  broken = new ApiError(0, said('error.network'));
  for (const { reject } of waiting.values()) reject(broken);
});
worker.postMessage({ kept: remembered() });

/** Return what this tab remembers of this page; no other site can read or write it. */
function remembered() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch { // refused like all storage
    return history.state?.[KEPT] ?? null;
  }
}

function remember(text) {
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    history.replaceState({ [KEPT]: text }, ''); // until the tab goes to another address
  }
}

/** Return the sentence of a key, or the text itself if it is none. */
function said(text) {
  return known(text) ? t(text) : text;
}

function settle({ id, progress, answer, status, error }) {
  const { resolve, reject, onprogress } = waiting.get(id) ?? {};
  if (progress !== undefined) return onprogress?.(progress);
  waiting.delete(id);
  if (error === undefined) return resolve?.(answer);
  return reject?.(new ApiError(status, said(error)));
}

/** Show a sentence above the page, once there are sentences, until it is dismissed. */
async function notice(key) {
  await loaded;
  const line = document.getElementById('notice');
  line.textContent = t(key);
  line.hidden = false;
}

/** Request a route, with a body or without; `onprogress` is called with the share that is done of a long task. */
export async function request(path, body, onprogress) {
  if (broken) throw broken;
  const id = last += 1;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, onprogress });
    worker.postMessage({ id, path, body });
  });
}

/**
 * Listen to a route of updates; return an object with `close`.
 *
 * @param onupdate called with each update
 * @param onlost called once, with the status of a table that is gone, if another tab goes on with it
 */
export function listen(path, onupdate, onlost) {
  const id = last += 1;
  const close = () => {
    listeners.delete(id);
    worker.postMessage({ id, closed: true });
  };
  listeners.set(id, ({ update, lost }) => {
    if (!lost) return onupdate(update);
    close();
    return onlost(404);
  });
  worker.postMessage({ id, path, listens: true });
  return { close };
}
