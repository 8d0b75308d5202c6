/** Finished games of this browser. */

import { PAGE } from './data/constants.js';
import { checkFormat } from './record.js';
import { Refused } from './refused.js';

export class Archive {
  /**
   * @param games by key
   * @param store of the records
   * @param tell called with the key of a sentence about records
   */
  constructor(games, store, tell) {
    Object.assign(this, { games, store, tell });
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

  /** Return all records that this version of the page can read, the oldest first. */
  async all() {
    const kept = await this.store.all('games');
    await Promise.all(Object.values(this.games).map((played) => played.informed()));
    const found = kept.filter((record) => this.#isReadable(record));
    if (found.length < kept.length) this.tell('local.other version');
    return found.sort((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0));
  }

  #isReadable(record) {
    const played = this.playedOf(record);
    try {
      checkFormat(record, played.key, 1);
      return record.seats.length === played.parseRules(record.rules).players;
    } catch {
      return false;
    }
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
