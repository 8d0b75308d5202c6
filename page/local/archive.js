/** Finished games of this browser. */

import { PAGE } from './data/constants.js';
import { checkFormat, parsed } from './record.js';
import { Refused } from './refused.js';

const ID = /^[\w-]{1,64}$/;
const MIX = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f];

/** Return an id for a record without one: a checksum of its text. */
function idOf(text) {
  const sums = MIX.map((factor) => [...text].reduce((sum, letter) => Math.imul(sum ^ letter.codePointAt(0), factor) >>> 0, factor));
  return sums.map((sum) => sum.toString(36)).join('');
}

export class Archive {
  /**
   * @param games by key
   * @param store of the records
   * @param tell called with the key of a sentence about records
   */
  constructor(games, store, tell) {
    Object.assign(this, { games, store, tell });
  }

  /** Return the record of a game by its id. */
  async read(id) {
    const record = await this.store.get('games', id);
    if (!record) throw new Refused(404, 'local.no game');
    return record;
  }

  /** Return the record of a game by its id, with the seat of the user as `you` if a person has played. */
  async own(id) {
    const record = await this.read(id);
    const { you } = this.#summary(record);
    return you === null ? record : { ...record, you };
  }

  /** Keep the finished games of a text, a record a line; return how many are new or known, and the lines that are refused. */
  async keep(text) {
    const found = { added: 0, known: 0, refused: [] };
    for (const [i, line] of text.split('\n').filter((one) => one.trim()).entries()) {
      try {
        found[await this.#add(line) ? 'added' : 'known'] += 1;
      } catch (error) {
        found.refused.push({ line: i + 1, error: error instanceof Refused ? error.message : 'it is not a record' });
      }
    }
    return found;
  }

  /** Keep the record of a line unless its game is known; return whether it is new. */
  async #add(line) {
    const record = parsed(line);
    if (!record) throw new Refused(422, 'it is not valid JSON');
    const played = await this.playedOf(record).ready();
    const { position } = await played.parseRecord(record);
    if (!position.isOver) throw new Refused(422, 'the game is not over');
    if (!record.seats?.some(({ kind }) => kind === 'person')) throw new Refused(422, "no 'seats' with a person");
    const id = ID.test(record.id) ? record.id : idOf(line);
    if (await this.store.get('games', id)) return false;
    await this.store.put('games', id, this.#checked({ ...record, id, started: record.started ?? '', payoffs: position.payoffs }));
    return true;
  }

  /** Return all records that this version of the page can read, the oldest first. */
  async all() {
    const kept = await this.store.all('games');
    await Promise.all(Object.values(this.games).map((played) => played.informed()));
    const found = await Promise.all(kept.map((record) => this.attempt(() => this.#checked(record))));
    return found.filter(Boolean).sort((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0));
  }

  /** Return what a function finds in a record; null, and say so, if this version of the page cannot read the record. */
  async attempt(read) {
    try {
      return await read();
    } catch {
      this.tell('local.other version');
      return null;
    }
  }

  #checked(record) {
    const played = this.playedOf(record);
    checkFormat(record, played.key, 1);
    played.dealKey(record);
    const { players } = played.parseRules(record.rules);
    if (record.seats.length !== players || record.payoffs.length !== players) throw new Refused(422, 'seats and payoffs must be those of all players');
    return record;
  }

  /** Return the kind of game of a record. */
  playedOf(record) {
    return Object.values(this.games).find(({ key }) => Object.hasOwn(Object(record), key)) ?? Object.values(this.games)[0];
  }

  /** Return one page of summaries, the newest first. */
  async page(cursor) {
    const found = (await this.all()).filter(({ begun, seats }) => !begun || seats.some(({ kind }) => kind === 'person')); // others are nobody's
    const end = cursor === null ? found.length : Math.min(Number(cursor), found.length);
    const start = Math.max(0, end - PAGE);
    return { records: found.slice(start, end).reverse().map((record) => this.#summary(record)), cursor: start ? String(start) : null };
  }

  #summary(record) {
    const { id, started, rules, seats, payoffs, you } = record;
    const people = seats.flatMap(({ kind }, seat) => (kind === 'person' ? [seat] : []));
    return { id, game: this.playedOf(record).key, started, rules, seats: seats.map(({ name }) => name), payoffs, people, you: people.includes(you) ? you : people[0] ?? null };
  }

  /** Return whether the deal of a position was played before. */
  async knowsDeal(played, position) {
    const key = played.dealKey(played.toRecord(position, {}));
    return (await this.all()).some((record) => this.playedOf(record) === played && played.dealKey(record) === key);
  }
}
