/**
 * Tables and finished games in this browser; in memory alone if it refuses to keep them. Other pages of the host may write
 * there too, so each value is checked when it is read.
 */

import { parsed } from './record.js';

const NAME = 'big2';
const VERSION = 1;
// Forms of the values: kinds of `typeof`, a list of values of a form, an object with forms by key, or a function that tells.
const orNull = (form) => (value) => value === null || fits(value, form);
const FORMS = {
  tables: {
    game: 'string', saved: 'number', record: {}, seats: [{ name: 'string', agent: orNull('string') }],
    match: orNull({ hand: 'number', totals: ['number'], target: 'number' }),
    settings: { practice: 'boolean', firstTime: 'boolean', terms: { clock: 'number', deals: 'number', points: 'number' } },
    fields: {
      id: 'string', nonce: 'string', gameId: 'string', version: 'number', press: 'boolean', recordId: orNull('string'), next: orNull('string'),
      mistakes: orNull([{ ply: 'number', move: 'string', mark: 'string' }]), started: 'string', begun: 'number', chosen: ['number'],
      help: { takebacks: ['number'], advice: ['number'] }, earlier: { deals: 'number', totals: ['number'] },
    },
  },
  games: { id: 'string', started: 'string', seats: [{ name: 'string', kind: 'string' }], payoffs: ['number'] },
  results: { payoff: 'number', won: 'boolean', agent: 'number', lost: orNull('number') },
};
const STORES = Object.keys(FORMS);
const MOST_KEPT = 20; // values of a store that a tab remembers if the browser refuses storage

export class Store {
  /**
   * @param remembered what the tab remembers: the last `remember`, or null
   * @param refused called with the key of a sentence when the browser refuses to keep something
   * @param remember called with a text for the tab to remember until it is closed
   */
  constructor(remembered, refused, remember) {
    Object.assign(this, { refused, remember, database: null, reason: 'local.unsaved' });
    this.memory = Object.fromEntries(STORES.map((name) => [name, new Map()]));
    const kept = parsed(remembered) ?? {};
    for (const name of STORES) if (fits(kept[name], [Array.isArray])) this.memory[name] = new Map(kept[name]);
  }

  /** Open the browser's storage. */
  async open() {
    try {
      const database = await opened();
      if (STORES.every((name) => database.objectStoreNames.contains(name))) this.database = database;
    } catch (error) { // said when something is to be kept
      if (error.name === 'VersionError') this.reason = 'local.newer storage';
    }
  }

  /** Return the value of a key; undefined if there is none, or one of another form. */
  async get(store, key) {
    const isHeld = this.memory[store].has(key) || !this.database;
    const found = isHeld ? this.memory[store].get(key) : await done(this.database.transaction(store).objectStore(store).get(key));
    return checked(store, found);
  }

  /** Return all values of a store, in the order of their keys: undefined for each that has another form. */
  async all(store) {
    const kept = this.database ? await done(this.database.transaction(store).objectStore(store).getAll()) : [];
    return [...kept, ...this.memory[store].values()].map((value) => checked(store, value));
  }

  /** Keep a value. */
  async put(store, key, value) {
    try {
      if (!this.database) throw new Error('there is no storage');
      const transaction = this.database.transaction(store, 'readwrite');
      transaction.objectStore(store).put(value, key);
      await finished(transaction);
      this.memory[store].delete(key);
    } catch {
      this.#hold(store, key, value);
    }
  }

  #hold(store, key, value) {
    const { memory } = this;
    memory[store].delete(key); // so that it becomes the last
    memory[store].set(key, value);
    while (memory[store].size > MOST_KEPT) memory[store].delete(memory[store].keys().next().value);
    this.remember(JSON.stringify(Object.fromEntries(STORES.map((name) => [name, [...memory[name]]]))));
    this.refused(this.reason);
  }

  async remove(store, key) {
    this.memory[store].delete(key);
    if (!this.database) return;
    const transaction = this.database.transaction(store, 'readwrite');
    transaction.objectStore(store).delete(key);
    await finished(transaction).catch(() => {}); // it stays
  }
}

function checked(store, value) {
  return fits(value, FORMS[store]) ? value : undefined;
}

function fits(value, form) {
  if (typeof form === 'function') return form(value);
  if (typeof form === 'string') return typeof value === form;
  if (Array.isArray(form)) return Array.isArray(value) && value.every((one) => fits(one, form[0]));
  return typeof value === 'object' && value !== null && Object.entries(form).every(([key, part]) => fits(value[key], part));
}

function opened() {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => {
    for (const name of STORES) if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
  };
  return done(request);
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('another tab holds an older storage'));
  });
}

function finished(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}
