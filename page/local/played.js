/** A kind of game as the tables need it: what both games share. `big2.js` and `catch5.js` have the rest. */

import { TOLD } from '../engine/constants.js';
import { chosenBy, differing } from './agents.js';
import { loadJson } from './data.js';
import { loadEngine } from './engine.js';
import { Refused, shown } from './refused.js';
import { worse } from './thinking.js';

export class Played {
  /**
   * @param options of new tables, as the server sends them
   * @param version of the package
   */
  constructor(options, version) {
    const { game, title, advisor, agents, default_rules: defaultRules } = options;
    Object.assign(this, { key: game, title, advisor, agents, defaultRules, version, options, loading: null, engine: null, facts: null });
  }

  /** Load the facts of the rules once; return this. */
  async informed() {
    this.facts ??= await loadJson(`facts.${this.key}`);
    return this;
  }

  /** Load the engine too; return this. */
  async ready() {
    await this.informed();
    this.loading ??= loadEngine(this.key);
    this.loading.catch(() => { this.loading = null; }); // to be tried again
    this.engine = await this.loading;
    return this;
  }

  /** Return the rules of a preset's name, or of all fields. */
  parseRules(value) {
    const preset = this.options.rules.find(({ name, fields }) => name === value || isEqual(fields, value));
    if (preset) return this.rulesOf(preset.name, preset.title, preset.fields, this.engine?.rules(preset.name));
    if (typeof value === 'string') throw new Refused(422, `no preset '${value}': choose one of ${this.options.rules.map(({ name }) => name).join(', ')}`);
    if (typeof value !== 'object' || value === null) throw new Refused(422, `expected a preset's name or an object with all fields, got ${shown(value)}`);
    return this.#ownRules(value);
  }

  #ownRules(fields) {
    const names = Object.keys(this.options.rules[0].fields);
    const wrong = [...names.filter((name) => !(name in fields)).map((name) => `${name} is missing`), ...Object.keys(fields).filter((name) => !names.includes(name)).map((name) => `${name} is unknown`)];
    if (wrong.length) throw new Refused(422, `all fields and no others are needed: ${wrong.join(', ')}`);
    try {
      return this.rulesOf(fields, this.#titleOf(this.sessionFields(fields)), fields, this.engine?.rules(fields));
    } catch (error) {
      throw error instanceof RangeError ? new Refused(422, error.message) : error;
    }
  }

  /** Return the rules of a session, given those of one of its games; presets' names stay. */
  sessionFields(fields) {
    return fields;
  }

  /** Return rules in a few words: the nearest preset's name, with what differs from it. */
  #titleOf(fields) {
    const written = (value) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : typeof value === 'string' ? `'${value}'` : Array.isArray(value) ? tuple(value) : String(value));
    const { title, fields: nearest } = nearestTo(fields, this.options.rules);
    const changes = differing(nearest, fields).map((name) => `${name}=${written(fields[name])}`);
    return changes.length ? `${title} with ${changes.join(', ')}` : title;
  }

  /** Return what the page of rules shows. */
  async ruleFacts(value) {
    let rules = this.parseRules(value);
    const isKnown = typeof rules.json === 'string';
    if (!isKnown) rules = (await this.ready()).parseRules(value); // with the engine, which checks them
    const facts = isKnown ? this.facts.rules[rules.json] : await this.ownFacts(rules);
    return { game: this.key, rules: rules.json, title: rules.title, fields: rules.fields, ...facts };
  }

  /** Return the advisor's network for some rules. */
  networkOf(rules) {
    return nearestTo(rules.fields, this.facts.networks);
  }

  /** Return the checksum of the weights of an agent, as records have it; undefined without weights. */
  weightsOf(agent, rules) {
    return agent.replace(/^search:|,.*$/g, '') === this.advisor ? this.networkOf(rules).weights : undefined;
  }

  /** Choose a move of an agent in a position. */
  async choose(agent, position) {
    const { legal } = position;
    if (legal.length === 1) return legal[0];
    return legal[position.choices.indexOf(await chosenBy(agent, position))];
  }

  /** Choose a move of an agent by given draws; it draws for forced moves too, as in Python. */
  async drawn(agent, position, draws) {
    return position.legal[position.choices.indexOf(await chosenBy(agent, position, draws))];
  }

  /** Return the position's decisions with the advice on each, in order. */
  async review(position) {
    const found = [];
    for (let ply = 0; ply < position.ply; ply += 1) {
      const at = position.at(ply);
      const [seat, move] = position.trace[ply];
      if (at.isShown(seat) && at.legal.length > 1) {
        const advice = await this.advise(at);
        found.push({ ply, seat, move, advice, chosen: advice.moves.find((one) => one.move === move || one.alike?.includes(move)) });
      }
    }
    return found;
  }

  /** Return those of reviewed moves of a game that rollouts find clearly worse than the best ones. */
  async confirmed(position, reviewed, onprogress = () => {}) {
    const found = [];
    for (const [i, one] of reviewed.entries()) {
      const best = one.advice.moves[0].move;
      const loss = await worse(position.at(one.ply), this.comparedIn, best, one.move, (share) => onprogress((i + share) / reviewed.length));
      if (loss) found.push(Object.assign(one, { loss }));
    }
    return found;
  }

  /** Return a position whose hidden cards, if any, are known as they were dealt. */
  async revealed(position) {
    return position;
  }

  /** Return the deep analysis of a position with a move that was played, null unless it is asked for. */
  async lookJson(position, isAsked, played, onprogress) {
    return { deep: isAsked ? await this.look(position, played, onprogress) : null };
  }
}

/** Return the first of several presets or networks whose rules differ least from the given fields; some are told the rules. */
function nearestTo(fields, known) {
  const changes = known.map((one) => (one.fields ? differing(one.fields, fields).length : TOLD));
  return known[changes.indexOf(Math.min(...changes))];
}

/** Write a list as Python writes a tuple. */
function tuple(values) {
  return values.length === 1 ? `(${values[0]},)` : `(${values.join(', ')})`;
}

function isEqual(a, b) {
  const keys = Object.keys(a);
  return typeof b === 'object' && b !== null && keys.length === Object.keys(b).length && keys.every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

/** A position of a game, which never changes; each but the first knows the one before it. Its `play` makes a legal move. */
export class Position {
  /**
   * @param core the position of the engine
   * @param before the position before it, or null
   * @param move the last move, a text
   */
  constructor(core, before = null, move = null) {
    Object.assign(this, { core, before });
    this.trace = before ? [...before.trace, [before.player, move]] : [];
    this.ply = this.trace.length;
  }

  /** The legal moves as the engine has them. */
  get choices() {
    return (this.found ??= this.core.legalMoves());
  }

  /** The texts of the legal moves. */
  get legal() {
    return (this.texts ??= this.choices.map((move) => this.core.text(move)));
  }

  /** Payoffs by seat; zeros while the game lasts. */
  get payoffs() {
    return this.core.settle();
  }

  /** Return the position at an earlier ply. */
  at(ply) {
    if (!(ply >= 0 && ply <= this.ply)) throw new Refused(422, `there is no ply ${ply}: this record has ${this.ply} moves`);
    let found = this;
    while (found.ply > ply) found = found.before;
    return found;
  }

  /** Return whether the hand of a seat is known. */
  isShown() {
    return true;
  }

  /** The texts of the moves so far. */
  get moves() {
    return this.trace.map(([, move]) => move);
  }
}
