/** Tables and finished games in this browser; in memory alone if it refuses to keep them. */

import { parsed } from './record.js';

const NAME = 'big2';
const VERSION = 1;
const STORES = ['tables', 'games', 'results'];
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
    for (const [name, values] of Object.entries(parsed(remembered ?? '{}') ?? {})) this.memory[name] = new Map(values);
  }

  /** Open the browser's storage. */
  async open() {
    try {
      this.database = await opened();
    } catch (error) { // said when something is to be kept
      if (error.name === 'VersionError') this.reason = 'local.newer storage';
    }
  }

  /** Return the value of a key; undefined if there is none. */
  async get(store, key) {
    if (this.memory[store].has(key)) return this.memory[store].get(key);
    return this.database ? done(this.database.transaction(store).objectStore(store).get(key)) : undefined;
  }

  /** Return all values of a store, in the order of their keys. */
  async all(store) {
    const kept = this.database ? await done(this.database.transaction(store).objectStore(store).getAll()) : [];
    return [...kept, ...this.memory[store].values()];
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
