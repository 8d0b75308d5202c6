/** Finished games of this browser. */

import { Refused } from './refused.js';

const PAGE = 50; // games of a list

export class Archive {
  /**
   * @param games by key
   * @param store of the records
   */
  constructor(games, store) {
    Object.assign(this, { games, store });
  }

  async add(played, record) {
    await this.store.put('games', record.id, record);
  }

  /** Return the record of a game by its id. */
  async read(id) {
    const record = await this.store.get('games', id);
    if (!record) throw new Refused(404, 'local.no game');
    return record;
  }

  /** Return all records, the oldest first. */
  async all() {
    const found = await this.store.all('games');
    return found.sort((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0));
  }

  /** Return the kind of game of a record. */
  playedOf(record) {
    return Object.values(this.games).find(({ key }) => key in record) ?? Object.values(this.games)[0];
  }

  /** Return one page of summaries, the newest first. */
  async page(cursor) {
    const found = await this.all();
    const end = cursor === null ? found.length : Math.min(Number(cursor), found.length);
    const start = Math.max(0, end - PAGE);
    return { records: found.slice(start, end).reverse().map((record) => this.#summary(record)), cursor: start ? String(start) : null };
  }

  #summary(record) {
    const { id, started, rules, seats, payoffs } = record;
    const people = seats.flatMap(({ kind }, seat) => (kind === 'person' ? [seat] : []));
    return { id, game: this.playedOf(record).key, started, rules, seats: seats.map(({ name }) => name), payoffs, people, you: people[0] ?? null };
  }

  /** Return whether the deal of a position was played before. */
  async knowsDeal(played, position) {
    const key = played.dealKey(played.toRecord(position, {}));
    return (await this.all()).some((record) => this.playedOf(record) === played && played.dealKey(record) === key);
  }
}
