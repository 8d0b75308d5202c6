/** The tables of this browser, their changes, and the moves of agents. */

import { Refused } from './refused.js';
import { seatsOf, Table } from './table.js';

const TERMS = { wait: false, clock: 0, deals: 0, points: 0 };
const MOST_TABLES = 30; // older ones that are over are removed
const CHANNEL = 'rlcard tables';
const RETRY = 2000; // milliseconds after a move that could not be chosen

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Lobby {
  /**
   * @param games by key
   * @param store of tables and finished games
   * @param archive of finished games
   * @param delay seconds before an agent's move
   * @param tell called with the key of a sentence if an agent cannot move
   */
  constructor(games, store, archive, delay, tell) {
    Object.assign(this, { games, store, archive, delay, tell });
    this.tables = new Map(); // open ones, or promises of them, by id
    this.listeners = new Map(); // sets of functions, by id
    this.driving = new WeakMap(); // the ply, and whose move is being made, by table
    this.channel = new BroadcastChannel(CHANNEL);
    this.channel.onmessage = ({ data }) => this.#leaveTo(data);
  }

  /** Return a kind of game by its key. */
  game(key) {
    if (!Object.hasOwn(this.games, key)) throw new Refused(422, `game is '${key}': choose from ${Object.keys(this.games).join(', ')}`);
    return this.games[key];
  }

  /** Return a table by its id; a tab that asked for it before leaves it to this one. */
  async find(id) {
    if (!this.tables.has(id)) {
      this.channel.postMessage(id);
      this.tables.set(id, this.#load(id));
    }
    try {
      return await this.tables.get(id);
    } catch (error) {
      this.tables.delete(id);
      throw error;
    }
  }

  async #load(id) {
    const saved = await this.store.get('tables', id);
    if (!saved) throw new Refused(404, 'local.no table');
    await this.game(saved.game).ready();
    const table = await Table.fromJSON(saved, this.games);
    this.#drive(table);
    if (table.isOver) this.#finish(table);
    return table;
  }

  #leaveTo(id) {
    if (!this.tables.delete(id)) return;
    for (const listener of this.listeners.get(id) ?? []) listener({ lost: true });
  }

  /** Open a table as a request asks for it; return it. */
  async open({ game = Object.keys(this.games)[0], seats, rules, deal = null, practice = true, name = '', ...terms }) {
    const played = await this.game(game).ready();
    const given = deal === null ? null : await this.#position(played, deal, played.parseRules(rules ?? played.defaultRules), rules === undefined);
    if (given && !practice) throw new Refused(422, 'tables with a given deal are for practice: omit deal, or set practice to true');
    const asked = given?.position.rules ?? played.parseRules(rules ?? played.defaultRules);
    const players = seatsOf(seats, played.agents, asked.players, name);
    const { position, match } = given ?? played.deal(asked);
    const firstTime = !given || !(position.ply || await this.archive.knowsDeal(played, position));
    const table = new Table(played, position, match, players, { practice, terms: { ...TERMS, ...terms }, firstTime });
    return this.#begin(table);
  }

  async #position(played, deal, rules, isFree) {
    if (typeof deal === 'string') {
      const found = played.findDeal(deal.trim(), rules);
      if (!found) throw new Refused(422, `'${deal.slice(0, 60)}' is not a deal: expected seed/number or a deal code`);
      return found;
    }
    const { position, extra } = await played.parseRecord(deal.record);
    const at = (deal.ply ?? null) === null ? position : position.at(deal.ply);
    if (at.isOver) throw new Refused(422, `the game is over: choose a ply from 0 to ${position.ply - 1}`);
    if (!isFree && at.rules.title !== rules.title) throw new Refused(422, `the record has the rules ${at.rules.title}, not ${rules.title}: omit rules`);
    return { position: await played.revealed(at), match: played.matchOf(extra, at.rules) };
  }

  async #begin(table) {
    await table.commit();
    this.tables.set(table.id, table);
    await this.#save(table);
    await this.#makeRoom();
    this.#drive(table);
    return table;
  }

  /** Return the table of the next deal after a finished one; the first call makes it. */
  async next(table) {
    if (!table.isOver) throw new Refused(409, 'the game is not over');
    if (table.next === null) {
      const following = await this.#begin(table.following());
      table.next = following.id;
      this.changed(table);
    }
    return this.find(table.next);
  }

  async #makeRoom() {
    const kept = (await this.store.all('tables')).filter(Boolean).sort((a, b) => b.saved - a.saved);
    const over = kept.slice(MOST_TABLES).filter(({ fields }) => fields.recordId);
    await Promise.all(over.map(({ fields }) => this.store.remove('tables', fields.id)));
  }

  async #save(table) {
    await this.store.put('tables', table.id, table.toJSON());
  }

  /** Save and publish a change. */
  changed(table) {
    table.version += 1;
    this.#save(table);
    this.#publish(table);
  }

  #publish(table) {
    for (const listener of this.listeners.get(table.id) ?? []) listener({ update: table.view(this.delay) });
    this.#drive(table);
  }

  /** Call a function with each view of a table from now on; return a function that ends it. */
  listen(table, listener) {
    const known = this.listeners.get(table.id) ?? new Set();
    this.listeners.set(table.id, known.add(listener));
    listener({ update: table.view(this.delay) });
    return () => known.delete(listener);
  }

  /** Make a move, and save it. */
  play(table, move, byPerson) {
    table.play(move, byPerson);
    this.changed(table);
    if (table.isOver) this.#finish(table);
  }

  /** Make the next automatic move of a table, unless it is being made; with a clock, that of a person who is late. */
  async #drive(table) {
    const { due, position } = table;
    const isTimed = table.secondsLeft !== null;
    const name = `${position.ply} ${due}`;
    if ((due === null && !isTimed) || this.driving.get(table) === name) return;
    this.driving.set(table, name);
    const start = performance.now();
    if (isTimed) await pause(1000 * table.secondsLeft);
    const move = due === '' ? position.legal[0] : await this.#chosen(table, due ?? table.played.advisor);
    if (!isTimed) await pause(Math.max(0, 1000 * table.pace(this.delay) - (performance.now() - start)));
    if (table.position !== position || table.due !== due || !this.tables.has(table.id)) return;
    if (isTimed) (table.help.seats ??= []).push({ ply: position.ply, seat: position.player, event: 'late' });
    this.play(table, move, false);
  }

  /** Return the move of an agent; if its network cannot be loaded, try again until it can. */
  async #chosen(table, agent) {
    const { position } = table;
    while (table.position === position && this.tables.has(table.id)) {
      try {
        return await table.played.choose(agent, position);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.tell(error.message);
        await pause(RETRY);
      }
    }
    return null; // nobody waits for it
  }

  async #mistakes({ played, position, you }) {
    const reviewed = await played.review(position);
    return played.confirmed(position, played.worst(reviewed.filter(({ seat }) => seat === you)));
  }

  /** Keep the record of a finished game, and find the person's costliest mistakes, which rollouts confirm. */
  async #finish(table) {
    if (table.recordId === null) {
      await this.store.put('games', table.gameId, table.record());
      table.recordId = table.gameId;
      this.changed(table);
    }
    if (table.mistakes === null && table.you !== null) {
      const mistakes = await this.#mistakes(table).catch(() => null);
      if (!mistakes) return; // a network could not be loaded: when the table is next shown
      const lossOf = ({ loss: { behind, behind_margin: margin, reason } = {} }) => ({ behind, behind_margin: margin, reason });
      table.mistakes = mistakes.map((one) => ({ ...table.played.reviewJson(one), ...lossOf(one) }));
      this.changed(table);
    }
  }
}
