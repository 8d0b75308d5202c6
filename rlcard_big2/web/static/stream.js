/**
 * A table as it changes. Browsers allow six connections to a server in all: a page that nobody sees closes its stream,
 * and only four of a browser's pages hold one at a time. The others ask every second.
 */

import { api } from './api.js';

const STREAMS = 4;
const ASK = 1000; // milliseconds
const AGAIN = [500, 1000, 2000, 4000];

export class Stream {
  /**
   * @param table its id
   * @param onview called with each view
   * @param onstate called with 'open' or 'lost', and with 'gone' if there is no such table any more
   */
  constructor(table, onview, onstate) {
    Object.assign(this, { table, onview, onstate, source: null, timer: null, failures: 0, run: 0, release: () => {} });
    document.addEventListener('visibilitychange', () => (document.hidden ? this.close() : this.open()));
    window.addEventListener('pagehide', () => this.close());
    window.addEventListener('pageshow', (event) => event.persisted && this.open());
    if (!document.hidden) this.open();
  }

  /** Follow the table until `close`. */
  async open() {
    this.close();
    const run = this.run;
    const free = await this.reserve(run);
    if (run !== this.run) return;
    if (free) this.listen();
    else this.ask();
  }

  close() {
    this.run += 1;
    this.source?.close();
    clearTimeout(this.timer);
    this.release();
    this.release = () => {};
  }

  listen() {
    const source = new EventSource(api.events(this.table));
    this.source = source;
    source.onmessage = (event) => this.arrived(JSON.parse(event.data));
    source.onerror = () => {
      source.close();
      this.missed();
    };
  }

  async ask() {
    const run = this.run;
    try {
      const view = await api.view(this.table);
      if (run !== this.run) return;
      this.arrived(view);
      this.timer = setTimeout(() => this.open(), ASK);
    } catch (error) {
      if (run === this.run) this.missed(error.status);
    }
  }

  arrived(view) {
    this.failures = 0;
    this.onstate('open');
    this.onview(view);
  }

  /** Try again later, unless the table is gone. */
  async missed(status) {
    const run = this.run;
    this.onstate('lost');
    const found = status ?? await api.view(this.table).then(() => 200, (error) => error.status);
    if (run !== this.run) return;
    if (found === 404) {
      this.onstate('gone');
      return;
    }
    this.timer = setTimeout(() => this.open(), AGAIN[Math.min(this.failures, AGAIN.length - 1)]);
    this.failures += 1;
  }

  /** Take one of the browser's streams, if it has locks and one is free; a lock is held until `release`. */
  async reserve(run) {
    if (!navigator.locks) return true;
    for (let i = 0; i < STREAMS; i += 1) {
      if (await this.held(`big2-stream-${i}`, run)) return true;
    }
    return false;
  }

  held(name, run) {
    return new Promise((resolve) => {
      navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        if (lock === null || run !== this.run) return resolve(lock !== null);
        return new Promise((release) => {
          this.release = release;
          resolve(true);
        });
      });
    });
  }
}
