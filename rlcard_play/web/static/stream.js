/**
 * Updates of a table. Browsers allow six connections per server: hidden pages close their streams, and at most four pages
 * of a browser hold one. The others poll every second.
 */

import { api } from './api.js';

const STREAMS = 4;
const POLL = 1000; // milliseconds
const RETRY_DELAYS = [500, 1000, 2000, 4000];

export class Stream {
  /**
   * @param table its id
   * @param onview called with each view
   * @param onstate called with 'open', 'lost', or 'gone' if the table no longer exists
   */
  constructor(table, onview, onstate) {
    Object.assign(this, { table, onview, onstate, source: null, timer: null, failures: 0, run: 0, release: () => {} });
    document.addEventListener('visibilitychange', () => (document.hidden ? this.close() : this.open()));
    window.addEventListener('pagehide', () => this.close());
    window.addEventListener('pageshow', (event) => event.persisted && this.open());
    if (!document.hidden) this.open();
  }

  /** Listen until `close`. */
  async open() {
    this.close();
    const run = this.run;
    const free = await this.reserve(run);
    if (run !== this.run) return;
    if (free) this.listen();
    else this.poll();
  }

  close() {
    this.run += 1;
    this.source?.close();
    clearTimeout(this.timer);
    this.release();
    this.release = () => {};
  }

  listen() {
    this.source = api.events(this.table, (view) => this.received(view), (status) => this.disconnected(status));
  }

  async poll() {
    const run = this.run;
    try {
      const view = await api.view(this.table);
      if (run !== this.run) return;
      this.received(view);
      this.timer = setTimeout(() => this.open(), POLL);
    } catch (error) {
      if (run === this.run) this.disconnected(error.status);
    }
  }

  received(view) {
    this.failures = 0;
    this.onstate('open');
    this.onview(view);
  }

  /** Reconnect later, unless the table is gone. */
  async disconnected(status) {
    const run = this.run;
    this.onstate('lost');
    const found = status ?? await api.view(this.table).then(() => 200, (error) => error.status);
    if (run !== this.run) return;
    if (found === 404) {
      this.onstate('gone');
      return;
    }
    this.timer = setTimeout(() => this.open(), RETRY_DELAYS[Math.min(this.failures, RETRY_DELAYS.length - 1)]);
    this.failures += 1;
  }

  /** Reserve one of the browser's streams if one is free, by a lock held until `release`. */
  async reserve(run) {
    if (!navigator.locks) return true;
    for (let i = 0; i < STREAMS; i += 1) {
      if (await this.held(`stream-${i}`, run)) return true;
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
