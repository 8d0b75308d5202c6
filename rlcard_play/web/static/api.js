/** The server's routes. */

import { listen, request } from './transport.js';

const RETRY_DELAYS = [500, 1000, 2000]; // milliseconds between attempts to make a move

/** Retry if the server does not respond; only for idempotent requests. */
async function retry(path, body) {
  for (const pause of RETRY_DELAYS) {
    try {
      return await request(path, body);
    } catch (error) {
      if (error.status !== 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return request(path, body);
}

const query = (values) => {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : '';
};

/** Return all rows of a list from a cursor on, of which `request` asks for a page. */
export async function rowsOf(request, key, cursor = null) {
  const page = await request(cursor);
  return page.cursor ? [...page[key], ...await rowsOf(request, key, page.cursor)] : page[key];
}

export const api = {
  options: () => request('options'),
  open: (order) => request('tables', order),
  view: (table) => request(`tables/${table}/view`),
  next: (table) => request(`tables/${table}/next`, {}),
  byCode: (code) => request(`codes/${encodeURIComponent(code)}`),
  start: (table, fill) => request(`tables/${table}/start`, { fill }),
  sit: (table, order) => request(`tables/${table}/seat`, order),
  move: (table, ply, move) => retry(`tables/${table}/moves`, { ply, move }),
  say: (table, phrase) => request(`tables/${table}/say`, { phrase }),
  takeBack: (table, ply) => request(`tables/${table}/takeback`, { ply }),
  leave: (table) => request(`tables/${table}/leave`, {}),
  settings: (table, settings) => request(`tables/${table}/settings`, settings),
  /** Values of moves; a deep analysis includes a selected move, or null; `onprogress` is called with the share that is done of a deep analysis, if the tables know it. */
  advice: (table, deep, move, onprogress) => request(`tables/${table}/advice${query({ deep: deep ? 1 : null, move })}`, undefined, onprogress),
  /** Why a move is not legal: `reason` is the end of a key `why.` of the strings, `values` are those of that string; no reason if it is. */
  why: (table, move) => request(`tables/${table}/why${query({ move })}`),
  events: (table, onupdate, onlost) => listen(`tables/${table}/events`, onupdate, onlost),
  rules: (game, rules) => request(`rules${query({ game, rules })}`),
  analyse: (order, onprogress) => request('analyse', order, onprogress),
  /** The `payoff` of an agent in the first seat of a deal, `seed/number`, by the rules of a preset, among advisors. */
  result: (asked) => request(`result${query(asked)}`),
  score: () => request('score'),
  /** The user's own finished games, a page of `records`, with the user's seat as `you`. */
  records: (cursor) => request(`records${query({ cursor })}`),
  /** Keep the games of a text, a record a line; the lines that are `refused` have an `error` each. */
  keep: (text) => request('records', { text }),
  record: (id) => request(`records/${id}`),
  /** A page of `puzzles`, with the `themes` and the `difficulty` of each, ends of keys `theme.` and `level.` of the strings. */
  puzzles: (game, cursor) => request(`puzzles${query({ game, cursor })}`),
  puzzle: (id) => request(`puzzles/${id}`),
  solve: (id, move) => request(`puzzles/${id}`, { move }),
};
