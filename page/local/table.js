/** A table: one person among agents, the views of it, its record, and its saved form. */

import { base64Of, hexOf } from './bytes.js';
import { EARLY, ID_BYTES, MAX_NAME } from './data/constants.js';
import { Refused } from './refused.js';

const SAVED = ['id', 'nonce', 'gameId', 'version', 'press', 'recordId', 'next', 'mistakes', 'started', 'begun', 'chosen', 'help', 'earlier'];

/** Return a random text of 22 characters. */
export function token() {
  return base64Of(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}

/** Return the SHA-256 of a text; null where the page is not served over HTTPS, since browsers then do not compute it. */
async function checksum(text) {
  if (!crypto.subtle) return null;
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

export class Table {
  /**
   * @param played the kind of game
   * @param position where it begins
   * @param match of the deal, in games that have matches, or null
   * @param seats the players: `{ name, agent }`, an agent's name or null for the person
   * @param settings `practice`, `terms`, and `firstTime`: whether the deal is played for the first time
   */
  constructor(played, position, match, seats, { practice, terms, firstTime }) {
    Object.assign(this, { played, position, match, seats, practice, terms, firstTime });
    Object.assign(this, { id: token(), nonce: token(), gameId: token(), version: 1, press: false, recordId: null, next: null, mistakes: null });
    this.started = new Date().toISOString().replace(/\.\d+/, '');
    this.begun = position.ply;
    this.chosen = []; // plies of the person's moves, without forced ones
    this.help = { takebacks: [], advice: [], ...(practice ? { practice: true } : {}) };
    this.earlier = { deals: 0, totals: seats.map(() => 0) }; // finished deals of the session
    this.since = performance.now(); // when the seat to move began to be it
    this.commitment = null;
  }

  /** Compute the commitment to the deal. */
  async commit() {
    this.code = this.played.dealCode(this.position);
    this.commitment = await checksum(this.code + this.nonce);
    return this;
  }

  /** The person's seat; null once they have left. */
  get you() {
    const seat = this.seats.findIndex(({ agent }) => agent === null);
    return seat < 0 ? null : seat;
  }

  get isOver() {
    return this.position.isOver;
  }

  get isMine() {
    return !this.isOver && this.position.player === this.you;
  }

  /** The agent to move; '' if a forced move of the person is due; null if the person is to move, or the game is over. */
  get due() {
    if (this.isOver) return null;
    const { agent } = this.seats[this.position.player];
    return agent === null && this.position.isForced && !this.press ? '' : agent;
  }

  /** Seconds that the person has left for a move; null without a clock, or if it is not their turn. */
  get secondsLeft() {
    if (!this.terms.clock || this.due !== null || this.isOver) return null;
    return Math.max(0, this.terms.clock - (performance.now() - this.since) / 1000);
  }

  /** Return the seconds before an automatic move: fewer until the person has chosen one, whose turn thus comes soon. */
  pace(delay) {
    return delay * (this.chosen.length ? 1 : EARLY);
  }

  /** Make a legal move; `byPerson` if the person chose it. */
  play(move, byPerson) {
    const { position } = this;
    if (byPerson && !position.isForced) this.chosen.push(position.ply);
    this.#goTo(position.play(move));
  }

  /** Undo moves back to the person's previous choice; return whether there was one. */
  takeBack() {
    const ply = this.chosen.pop();
    if (ply === undefined) return false;
    this.help.takebacks.push(this.position.ply);
    this.#goTo(this.position.at(ply));
    return true;
  }

  #goTo(position) {
    this.position = position;
    this.since = performance.now();
  }

  /** Give the person's seat to the advisor. */
  leave() {
    const seat = this.you;
    (this.help.seats ??= []).push({ ply: this.position.ply, seat, event: 'left' });
    this.seats[seat] = { name: this.played.advisor, agent: this.played.advisor };
  }

  /** The session up to this deal, which counts when it is over. */
  get session() {
    const { deals, totals } = this.earlier;
    const { payoffs } = this.position;
    return this.isOver ? { deals: deals + 1, totals: totals.map((total, seat) => total + payoffs[seat]) } : this.earlier;
  }

  get isLast() {
    const { deals, totals } = this.session;
    return (this.terms.deals > 0 && deals >= this.terms.deals) || (this.terms.points > 0 && Math.max(...totals) >= this.terms.points);
  }

  /** Return the table of the next deal. */
  following() {
    const { position, match } = this.played.next(this.position, this.match, this.isLast);
    const table = new Table(this.played, position, match, this.seats.map((seat) => ({ ...seat })), { practice: this.practice, terms: this.terms, firstTime: true });
    table.press = this.press;
    if (!this.isLast) table.earlier = this.session;
    return table;
  }

  /** Return the view of the person, or of who watches after leaving. */
  view(delay) {
    const { position, you, played } = this;
    return {
      version: this.version, table: this.id, game: played.key, you,
      ...played.seatView(position, you, this.match),
      terms: this.terms, clock: this.secondsLeft, said: {},
      seats: this.seats.map(({ name, agent }) => ({ name, agent, here: true, open: false, stand_in: null })),
      practice: this.practice, deal: { commitment: this.commitment },
      auto: this.isMine && this.due === '' ? this.pace(delay) : null,
      press: this.press, advice_at: [...this.help.advice], first_time: this.firstTime,
      over: this.isOver ? this.#overView() : null,
    };
  }

  #overView() {
    const { payoffs } = this.position;
    return {
      payoffs, winner: this.position.winner ?? payoffs.indexOf(Math.max(...payoffs)), ...this.played.endView(this.position, this.match),
      deal: { code: this.code, nonce: this.nonce, commitment: this.commitment },
      record: this.recordId, session: { ...this.session, ended: this.isLast }, next: this.next, choices: this.you === null ? null : this.mistakes,
    };
  }

  /** Return the record of the game so far, as a JSON object. */
  record() {
    const help = Object.fromEntries(Object.entries(this.help).filter(([, noted]) => noted === true || noted.length));
    return this.played.toRecord(this.position, {
      id: this.gameId,
      seats: this.seats.map((seat) => this.#described(seat)),
      started: this.started,
      ...(Object.keys(help).length ? { help } : {}),
      ...(this.match ? { match: this.match } : {}),
      ...(this.isOver ? { first_time: this.firstTime, ...(this.begun ? { begun: this.begun } : {}) } : {}),
    });
  }

  #described({ name, agent }) {
    if (agent === null) return { name, kind: 'person' };
    const weights = this.played.weightsOf(agent, this.position.rules);
    return { name, kind: 'agent', version: this.played.version, ...(weights ? { weights } : {}) };
  }

  /** Return the saved form. */
  toJSON() {
    const { practice, terms, firstTime, seats, match } = this;
    return { fields: Object.fromEntries(SAVED.map((name) => [name, this[name]])), game: this.played.key, settings: { practice, terms, firstTime }, seats, match, record: this.played.toRecord(this.position, {}), saved: Date.now() };
  }

  /** Restore a table of one of some games, by key. */
  static async fromJSON(saved, games) {
    const played = games[saved.game];
    const { position } = await played.parseRecord(saved.record);
    const { seats, fields } = saved;
    if (seats.length !== position.rules.players || seats.some(({ agent }) => agent !== null && !played.agents.includes(agent))) throw new Refused(404, 'local.no table');
    const table = new Table(played, position, played.matchOf(saved, position.rules), seats, saved.settings);
    for (const name of SAVED) table[name] = fields[name];
    return table.commit();
  }
}

/** Return the players of a request: 'me' once, and names of agents. */
export function seatsOf(order, agents, count, name) {
  if (!Array.isArray(order) || order.length !== count) throw new Refused(422, `seats must be a list of ${count}: "me" once, and names of agents`);
  const unknown = order.find((one) => one !== 'me' && !agents.includes(one));
  if (unknown !== undefined) throw new Refused(422, `'${unknown}' cannot be seated: choose from me, ${agents.join(', ')}`);
  if (order.filter((one) => one === 'me').length !== 1) throw new Refused(422, 'seats must have "me" once');
  const printable = [...name].filter((letter) => /[^\p{C}]/u.test(letter)).join('').trim();
  return order.map((one) => (one === 'me' ? { name: [...printable].slice(0, MAX_NAME).join('') || 'Player', agent: null } : { name: one, agent: one }));
}
