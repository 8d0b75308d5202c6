/**
 * The engine in JavaScript: rules, observations and payoffs come from WebAssembly, compiled from the same kernels as
 * the Python library. Nothing here knows a rule. `engine.d.ts` has the types.
 *
 *     import {loadGame} from './engine.js';
 *     const big2 = await loadGame('big2');
 *     let game = big2.start('hong-kong', big2.deal('hong-kong', 7n));
 *     while (!game.isOver) game = game.play(game.legalMoves()[0]);
 *     game.settle();  // payoffs by seat
 *
 * A move is a whole number: in Big 2 a mask of cards, 0 for a pass, in Catch Five an action id. Masks have 52 bits, so
 * they are exact, but operators such as `&` would cut them off: use `cardsOf` and `maskOf`.
 */

import {NUM_CARDS} from './constants.js';

const ARRAYS = {
  int8: Int8Array, int16: Int16Array, int64: BigInt64Array, uint64: BigUint64Array, float32: Float32Array,
  float64: Float64Array,
};

/** Load a game, by default from the folder of this module. */
export async function loadGame(name, read = readFile) {
  const [code, text] = await Promise.all([read(`${name}.wasm`), read(`${name}.json`)]);
  const data = JSON.parse(new TextDecoder().decode(text));
  const {instance} = await WebAssembly.instantiate(code, {env: Math});
  return new Game(instance.exports, data);
}

/** Read a file of this package from the folder of this module. */
export async function readFile(file) {
  const url = new URL(file, import.meta.url);
  if (url.protocol === 'file:') return (await import('node:fs/promises')).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  return response.arrayBuffer();
}

/** Return the ids of the cards of a mask, ascending. */
export function cardsOf(mask) {
  const cards = [];
  for (let card = 0; card < NUM_CARDS; card++) if (Math.floor(mask / 2 ** card) % 2) cards.push(card);
  return cards;
}

/** Return the mask of distinct card ids. */
export function maskOf(cards) {
  return cards.reduce((mask, card) => mask + 2 ** card, 0);
}

/** One game of cards: its rules, deals, and the positions that follow from them. */
export class Game {
  #kernels;
  #buffers = new Map();

  constructor(kernels, data) {
    this.#kernels = kernels;
    this.data = data; // what the build wrote about the game: presets, records, texts
    this.name = data.name;
  }

  /** The names of the presets. */
  get presets() {
    return Object.keys(this.data.presets);
  }

  /** Return rules by the name of a preset or by their fields; rules are returned as they are. */
  rules(given) {
    if (given?.table instanceof Uint8Array) return given;
    const {presets, rules, seats, records} = this.data;
    if (typeof given === 'string' && !presets[given]) {
      throw new RangeError(`no preset '${given}': choose one of ${this.presets.join(', ')}`);
    }
    const fields = {...presets[this.presets[0]], ...(typeof given === 'string' ? presets[given] : given)};
    checkRules(rules, fields);
    const table = Object.entries(rules.parts).map(([part, [names, values]]) => [part, values[keyOf(names, fields)]]);
    for (const [name, {part, count, other}] of Object.entries(rules.ascending)) {
      table.push([part, [...fields[name], ...Array(count).fill(other)].slice(0, count)]);
    }
    const names = Object.keys(fields);
    const name = this.presets.find((preset) => keyOf(names, presets[preset]) === keyOf(names, fields)) ?? null;
    table.push(['number', numberOf(rules, fields)]);
    return {name, players: fields.players ?? seats, fields, table: pack(records.rules, Object.fromEntries(table))};
  }

  /** Return the fields of the record of some rules; see `RuleTable` in `engine/ruleset.py` of the game. */
  table(rules) {
    return unpack(this.data.records.rules, this.rules(rules).table);
  }

  /** Deal at random, by a seed of 64 bits: the hands in Big 2, the values of a record `deal` in Catch Five. */
  deal(rules, seed = crypto.getRandomValues(new BigUint64Array(1))[0]) {
    const own = this.rules(rules);
    const stream = this.#array('stream', 'uint64', [seed]);
    if (this.data.records.deal) {
      const deals = this.#record('deal', new Uint8Array(this.data.records.deal.size));
      this.#kernels.shuffle(...stream, ...deals);
      return unpack(this.data.records.deal, this.#bytes('deal'));
    }
    const hands = this.#array('deal', 'int64', Array(own.players).fill(0));
    this.#kernels.shuffle(...this.#record('rules', own.table), ...stream, hands[0], 1, own.players);
    return this.#numbers('deal', own.players);
  }

  /** Start a game with a deal as `deal` returns it; hands may also be lists of card ids. */
  start(rules, deal) {
    const own = this.rules(rules);
    const layout = this.data.records.deal;
    const state = this.#record('state', new Uint8Array(this.data.records.state.size));
    const hands = (layout ? deal.hands : deal).map((hand) => (Array.isArray(hand) ? maskOf(hand) : hand));
    if (layout) {
      const nothing = {redeal: Array(layout.fields.redeal[2]).fill(-1), leftover: Array(layout.fields.leftover[2]).fill(-1)};
      this.#kernels.start(...state, ...this.#record('deal', pack(layout, {...nothing, ...deal, hands})));
    } else {
      const [address, count] = this.#array('deal', 'int64', hands);
      this.#kernels.start(...this.#record('rules', own.table), ...state, address, 1, count);
    }
    return new Position(this, own, this.#bytes('state').slice());
  }

  /** Return the position whose state has some values, see `Position.values`; fields without a value are 0. */
  restore(rules, values) {
    return new Position(this, this.rules(rules), pack(this.data.records.state, values));
  }

  /** Return a move as text: '3d', 'Tc Th', 'bid 4', 'trump H' or 'pass'. */
  text(rules, move) {
    if (this.data.texts) return this.data.texts[move];
    const {suits} = this.rules(rules).fields;
    return cardsOf(move).map((card) => this.data.ranks[card >> 2] + suits[card & 3]).join(' ') || 'pass';
  }

  /** @ignore Return the result of a kernel on a state, see `Position`. */
  _legal(rules, state) {
    const moves = this.#array('moves', 'int64', this.data.mostLegal);
    const count = this.#kernels.legal(...this.#record('rules', rules.table), ...this.#record('state', state),
      ...moves, ...this.#array('offsets', 'int64', 2));
    return this.#numbers('moves', Number(count));
  }

  /** @ignore */
  _play(rules, state, move) {
    const table = this.#record('rules', rules.table), games = this.#record('state', state);
    const moves = this.#array('moves', 'int64', [move]);
    if (!Number.isSafeInteger(move) || this.#kernels.illegal(...table, ...games, ...moves) >= 0n) return null;
    this.#kernels.play(...table, ...games, ...moves);
    return this.#bytes('state').slice();
  }

  /** @ignore */
  _observe(rules, state, seat) {
    const out = this.#record('observation', new Uint8Array(this.data.records.observation.size));
    this.#kernels.observe(...this.#record('rules', rules.table), ...this.#record('state', state),
      ...this.#array('seats', 'int64', [seat]), ...out);
    return this.#bytes('observation').slice();
  }

  /** @ignore */
  _features(observation) {
    const [address, count] = this.#array('features', 'int8', this.data.features);
    this.#kernels.unpack(...this.#record('observation', observation), address, 1, count);
    return this.#view('features').slice();
  }

  /** @ignore */
  _settle(rules, state) {
    const [address, count] = this.#array('payoffs', 'int64', rules.players);
    this.#kernels.settle(...this.#record('rules', rules.table), ...this.#record('state', state), address, 1, count);
    return this.#numbers('payoffs', rules.players);
  }

  /** Return the strength of cards of Big 2: their kind times 65536 and their order in it; 0 if they are no combination. */
  strength(rules, cards) {
    return cards && Number(this.#kernels.strength(this.#record('rules', this.rules(rules).table)[0], BigInt(cards)));
  }

  /** Return what a loser of Big 2 pays for a hand. */
  penalty(rules, hand) {
    return Number(this.#kernels.penalty(this.#record('rules', this.rules(rules).table)[0], BigInt(hand), 0n));
  }

  /** @ignore */
  _rule(rules, observation, moves) {
    const table = this.data.records.deal ? [] : this.#record('rules', rules.table);
    this.#kernels.rule(...table, ...this.#record('observation', observation), ...this.#array('moves', 'int64', moves),
      ...this.#array('offsets', 'int64', [0, moves.length]), ...this.#array('choices', 'int64', 1));
    return moves[this.#numbers('choices', 1)[0]];
  }

  /** @ignore */
  _prove(rules, observation, moves) {
    this.#kernels.prove(...this.#record('rules', rules.table), ...this.#record('observation', observation),
      ...this.#array('offsets', 'int64', [0, moves.length]), ...this.#array('moves', 'int64', moves),
      ...this.#record('scratch', new Uint8Array(this.data.records.state.size)),
      ...this.#array('proofs', 'int64', Array(moves.length).fill(0)));
    return this.#numbers('proofs', moves.length);
  }

  /** @ignore What networks need: the kernels, and arrays in their memory. */
  get _memory() {
    return {kernels: this.#kernels, array: this.#array.bind(this), view: this.#view.bind(this)};
  }

  /** Write an array to the memory of the kernels; return its address and length. It keeps its place. */
  #array(name, type, values) {
    const count = typeof values === 'number' ? values : values.length;
    const bytes = count * ARRAYS[type].BYTES_PER_ELEMENT;
    let buffer = this.#buffers.get(name);
    if (!buffer || buffer.room < bytes) {
      const room = Math.max(bytes, 2 * (buffer?.room ?? 0)); // what it leaves is not used again
      buffer = {address: this.#kernels.allocate(room), room};
      this.#buffers.set(name, buffer);
    }
    Object.assign(buffer, {type, count});
    if (typeof values !== 'number') this.#view(name).set(type.endsWith('64') && Array.isArray(values) ? values.map(BigInt) : values);
    return [buffer.address, count];
  }

  /** Write a record to the memory of the kernels; return its address and the length of the array that holds it. */
  #record(name, bytes) {
    return [this.#array(name, 'int8', bytes)[0], 1];
  }

  #view(name) {
    const {address, type, count} = this.#buffers.get(name);
    return new ARRAYS[type](this.#kernels.memory.buffer, address, count);
  }

  #bytes(name) {
    return new Uint8Array(this.#view(name).buffer, this.#view(name).byteOffset, this.#view(name).byteLength);
  }

  #numbers(name, count) {
    return Array.from(this.#view(name).subarray(0, count), Number);
  }
}

/** A position of one game. It does not change: `play` returns another one. */
export class Position {
  #values;

  /** @ignore Made by `Game.start` and `play`. */
  constructor(game, rules, state, trace = []) {
    Object.assign(this, {game, rules, state, trace}); // the record `state` can be kept and given to `new Position`, with the moves so far
  }

  /** The fields of the state by name, see `GameRecord` in `engine/state.py` of the game. */
  get values() {
    return this.#values ??= unpack(this.game.data.records.state, this.state);
  }

  /** The seat to move. */
  get player() {
    return this.values.player;
  }

  /** Moves made. */
  get ply() {
    return this.values.ply;
  }

  /** Whether the game is over: nobody may move. */
  get isOver() {
    return this.legalMoves().length === 0;
  }

  /** Return the legal moves, ascending by action id. */
  legalMoves() {
    return this.game._legal(this.rules, this.state);
  }

  /** Make a move; return the next position. */
  play(move) {
    const state = this.game._play(this.rules, this.state, move);
    if (state) return new Position(this.game, this.rules, state, [...this.trace, move]);
    const legal = this.legalMoves().map((other) => this.text(other));
    const some = legal.slice(0, 10).join(', ') + (legal.length > 10 ? `, ... (${legal.length})` : '');
    throw new RangeError(`move ${move} is not legal: expected one of ${some || 'none, since the game is over'}`);
  }

  /** Return what a seat sees, packed: the record `observation`. */
  observe(seat = this.player) {
    return this.game._observe(this.rules, this.state, seat);
  }

  /** Return what a seat sees, by field; see `Observation` in `engine/observation.py` of the game. */
  seen(seat = this.player) {
    return unpack(this.game.data.records.observation, this.observe(seat));
  }

  /** Return what a seat sees as zeros and ones, in the order of the documentation; in Big 2 1339 for every size. */
  features(seat = this.player) {
    return this.game._features(this.observe(seat));
  }

  /** Return the payoff of each seat; zeros while the game lasts. */
  settle() {
    return this.game._settle(this.rules, this.state);
  }

  /** Return the strength of cards of Big 2, see `Game.strength`. */
  strength(cards) {
    return this.game.strength(this.rules, cards);
  }

  /** Return the kind of a combination of Big 2, as a number; see `rlcard_big2.notation.KIND_NAMES`. */
  kind(move) {
    return this.strength(move) >> 16;
  }

  /** Return the move of the rule agent. */
  ruleMove() {
    return this.game._rule(this.rules, this.observe(), this.legalMoves());
  }

  /** Return for each legal move of Big 2 its payoff if it wins in any case, 0 without a proof, -1 if it is unknown. */
  proofs() {
    return this.game._prove(this.rules, this.observe(), this.legalMoves());
  }

  /** Return a move as text. */
  text(move) {
    return this.game.text(this.rules, move);
  }
}

/** Return the values of a record. Whole numbers of 64 bits that are not exact as numbers stay bigint. */
function unpack(layout, bytes) {
  const values = {};
  for (const [name, [type, offset, count]] of Object.entries(layout.fields)) {
    const size = ARRAYS[type].BYTES_PER_ELEMENT * Math.max(count, 1);
    const read = Array.from(new ARRAYS[type](bytes.slice(offset, offset + size).buffer), exact);
    values[name] = count ? read : read[0];
  }
  return values;
}

function exact(value) {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Return the record of values, the inverse of `unpack`; fields without a value are 0. */
function pack(layout, values) {
  const bytes = new Uint8Array(layout.size);
  for (const [name, [type, offset]] of Object.entries(layout.fields)) {
    if (values[name] === undefined) continue;
    const given = [values[name]].flat();
    bytes.set(new Uint8Array(ARRAYS[type].from(type.endsWith('64') ? given.map(BigInt) : given).buffer), offset);
  }
  return bytes;
}

/** Return the values of some fields as text, by which the build lists what follows from them. */
function keyOf(names, fields) {
  return JSON.stringify(names.map((name) => fields[name]));
}

/** Return the number of rules by which a packed observation names them, see `number_of_rules` in Python. */
function numberOf({numbered, ascending}, fields) {
  return numbered.reduce((number, [name, values]) => {
    const place = ascending[name] ? placeOf(fields[name], ascending[name].most) : values.indexOf(fields[name]);
    return number * BigInt(values.length ?? values) + BigInt(place);
  }, 0n);
}

/** Return the place of ascending numbers among all of as many from 1 to `most`, in order, after those of fewer. */
function placeOf(numbers, most) {
  const choose = (n, k) => (k ? choose(n - 1, k - 1) * n / k : 1);
  let [place, last] = [0, 0];
  for (const [i, number] of numbers.entries()) {
    place += choose(most, i);
    for (let one = last + 1; one < number; one++) place += choose(most - one, numbers.length - 1 - i);
    last = number;
  }
  return place;
}

/** Throw RangeError, naming the fields, if a field is unknown or its value is, or if several contradict each other. */
function checkRules({values, ascending, together}, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const {count, most} = ascending[name] ?? {};
    const isList = count && Array.isArray(value);
    const isRising = isList && value.length <= count && value.every((one, i) => Number.isInteger(one) && one > (i && value[i - 1]) && one <= most);
    if (!values[name]) throw new RangeError(`rules have no ${name}: expected ${Object.keys(values).join(', ')}`);
    if (count ? !isRising : !values[name].includes(value)) {
      const expected = count ? `at most ${count} ascending numbers from 1 to ${most}` : `one of ${values[name].join(', ')}`;
      throw new RangeError(`${name}=${JSON.stringify(value)}: expected ${expected}`);
    }
  }
  const contradict = (names) => {
    throw new RangeError(`${names.map((name) => `${name}=${JSON.stringify(fields[name])}`).join(', ')} contradict each other`);
  };
  for (const [names, {valid, invalid}] of together) {
    const key = keyOf(names, fields);
    if (valid ? !valid.includes(key) : invalid.includes(key)) contradict(names);
  }
  for (const [name, {without}] of Object.entries(ascending)) if (fields[without] && fields[name].length) contradict([name, without]);
}
