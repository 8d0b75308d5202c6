/**
 * Deals of the hidden cards, sampled in proportion to the likelihood of the opponents' moves, by the Metropolis
 * algorithm. `rlcard_big2.search.posterior` does the same, and describes it.
 */

import {HISTORY, INIT_PROPOSALS, LONG_SAMPLING, MIN_TEMPERATURE, MOST_LEGAL, NUM_PLAYERS as SEATS, SAMPLES, SAMPLING} from './constants.big2.js';

const CHOICES = 512; // judged at once

/** Chains of deals of one position. */
export class Chains {
  #worlds;
  #scores;
  #drawn = 0;
  #known = [new Map(), new Map(), new Map()]; // scores of the opponents' hands, by opponent
  #stream;

  /**
   * @param {Players} players
   * @param {Position} position
   * @param {bigint} stream a number of 64 bits, which determines the deals.
   * @param {number} [count] of deals that will be drawn at most, if known: few need few chains.
   * @param {number[]} [trace] the moves so far; without them, the last 16 count.
   */
  constructor(players, position, stream, count = Infinity, trace = []) {
    const sampling = trace.length ? LONG_SAMPLING : SAMPLING, chains = Math.min(sampling.chains, Math.ceil(count / SAMPLES));
    this.#worlds = new BigInt64Array(SEATS * chains);
    this.#scores = new Float64Array(chains);
    Object.assign(this, {players, trace, sampling, rules: position.rules, packed: position.observe(), memory: position.game._memory, records: position.game.data.records});
    this.#stream = BigUint64Array.of(stream);
  }

  /** Return deals, four masks each: the viewer's hand, then those of the seats after it. */
  draw(count) {
    const deals = new BigInt64Array(SEATS * count);
    for (let start = 0; start < count;) {
      const first = this.#drawn % this.#scores.length, end = Math.min(count, start + this.#scores.length - first);
      deals.set(this.#advance(first, first + end - start), SEATS * start);
      start = end;
    }
    return deals;
  }

  /** Return the next samples of some chains. */
  #advance(first, end) {
    const isNew = this.#drawn < this.#scores.length, count = end - first;
    let worlds = isNew ? this.#begin(count) : this.#worlds.slice(SEATS * first, SEATS * end);
    let scores = isNew ? this.#score(worlds) : this.#scores.slice(first, end);
    for (let i = 0; i < (isNew ? this.sampling.burn_in : this.sampling.thinning); i++) {
      const proposed = this.#propose(worlds, count);
      [worlds, scores] = this.#accept(proposed, worlds, scores);
    }
    this.#worlds.set(worlds, SEATS * first);
    this.#scores.set(scores, first);
    this.#drawn += count;
    return worlds;
  }

  /** Return the first deals of new chains. */
  #begin(count) {
    const {beliefs} = this.players, wanted = count * this.sampling.init_samples;
    let deals = this.#sample(beliefs ? wanted * INIT_PROPOSALS : wanted);
    if (beliefs) deals = this.#resample(deals, beliefs.scores(this.rules, this.packed, deals), wanted);
    return this.#resample(deals, this.#score(deals), count);
  }

  /** Return deals, each of those that agree with what the seat sees being equally likely. */
  #sample(count) {
    return this.#draw((stream, {kernels, array, view}) => {
      const [address] = array('sampled', 'int64', SEATS * count);
      kernels.sample(...this.#table(), ...this.#observation(), ...stream, address, 1, count, SEATS);
      return view('sampled').slice();
    });
  }

  /** Return some of deals, in proportion to the exponential of their scores. */
  #resample(deals, scores, count) {
    const most = scores.reduce((a, b) => Math.max(a, b));
    let sum = 0;
    const weights = scores.map((score) => (sum += Math.exp(score - most)));
    return this.#draw((stream, {kernels, array, view}) => {
      const [address] = array('indices', 'int64', count);
      kernels.draw_indices(array('weights', 'float64', weights)[0], 1, weights.length, ...stream, address, 1, count);
      const chosen = new BigInt64Array(SEATS * count);
      view('indices').forEach((index, i) => chosen.set(deals.subarray(SEATS * Number(index), SEATS * (Number(index) + 1)), SEATS * i));
      return chosen;
    });
  }

  /** Return deals in which two opponents, or one and the cards out of play, have exchanged a card. */
  #propose(worlds, count) {
    return this.#draw((stream, {kernels, array, view}) => {
      const [address] = array('proposed', 'int64', worlds.length);
      kernels.propose(...this.#table(), ...this.#observation(), ...stream, array('worlds', 'int64', worlds)[0], 1, count, SEATS, address, 1, count, SEATS);
      return view('proposed').slice();
    });
  }

  /** Replace each deal by its proposal with probability min(1, likelihood ratio); return the deals and their scores. */
  #accept(proposed, worlds, scores) {
    const count = scores.length, theirs = this.#score(proposed);
    return this.#draw((stream, {kernels, array, view}) => {
      kernels.accept(...stream, array('their scores', 'float64', theirs)[0], 1, count, array('proposed', 'int64', proposed)[0], 1, count, SEATS,
        array('own scores', 'float64', scores)[0], 1, count, array('worlds', 'int64', worlds)[0], 1, count, SEATS);
      return [view('worlds').slice(), view('own scores').slice()];
    });
  }

  /** Call a function with the stream in the memory of the kernels, which advance it. */
  #draw(use) {
    const found = use(this.memory.array('chain stream', 'uint64', this.#stream), this.memory);
    this.#stream = this.memory.view('chain stream').slice();
    return found;
  }

  #table() {
    return [this.memory.array('chain rules', 'int8', this.rules.table)[0], 1];
  }

  #observation() {
    return [this.memory.array('chain packed', 'int8', this.packed)[0], 1];
  }

  /** Return the log-likelihood of the opponents' moves in each deal. */
  #score(deals) {
    const places = [], seats = []; // of hands that are not known yet
    for (let i = 0; i < deals.length; i++) {
      const seat = i % SEATS;
      if (!seat || this.#known[seat - 1].has(deals[i])) continue;
      this.#known[seat - 1].set(deals[i], NaN);
      places.push(i);
      seats.push(BigInt(seat));
    }
    const missing = new BigInt64Array(SEATS * places.length);
    places.forEach((place, i) => missing.set(deals.subarray(place - place % SEATS, place - place % SEATS + SEATS), SEATS * i));
    this.#judge(missing, seats).forEach((score, i) => this.#known[places[i] % SEATS - 1].set(deals[places[i]], score));
    const likelihood = (i) => this.#known.reduce((sum, known, j) => sum + known.get(deals[SEATS * i + j + 1]), 0);
    return Float64Array.from({length: deals.length / SEATS}, (_, i) => likelihood(i));
  }

  /** Return the log-likelihood of the holder's moves for a hand of each deal, whose seat is given. */
  #judge(deals, seats) {
    const {kernels, array, view} = this.memory, {state, observation} = this.records, count = seats.length;
    const rules = this.#table(), hands = [...this.#observation(), ...array('hand owners', 'int64', new BigInt64Array(count)), array('hand deals', 'int64', deals)[0], count, SEATS, ...array('hand seats', 'int64', seats), ...array('trace', 'int64', this.trace.map(BigInt))];
    const scratch = [array('chain game', 'int8', state.size)[0], 1, array('choices seen', 'int8', CHOICES * observation.size)[0], CHOICES, ...array('choices', 'int64', Math.max(64 * CHOICES, Math.max(HISTORY, this.trace.length) * MOST_LEGAL))];
    const [offsets, made, listed] = [['choice offsets', CHOICES + 1], ['choices made', CHOICES], ['choice owners', CHOICES]].map(([name, size]) => array(name, 'int64', size));
    const scores = array('hand scores', 'float64', new Float64Array(count)), out = array('chain out', 'int64', 2);
    for (let start = 0; start < count;) {
      kernels.list_choices(...rules, ...hands, BigInt(start), ...scratch, ...offsets, ...made, ...listed, ...out);
      const [next, found] = Array.from(view('chain out'), Number);
      if (found) {
        const bounds = Array.from(view('choice offsets').subarray(0, found + 1), Number);
        const packed = new Uint8Array(view('choices seen').subarray(0, found * observation.size));
        const values = this.players.quick.valuesOf(this.rules, packed, view('choices').slice(0, bounds[found]), bounds);
        kernels.add_likelihoods(...array('choice values', 'float32', values), offsets[0], found + 1, made[0], found, listed[0], found, MIN_TEMPERATURE, ...scores);
      }
      start = next;
    }
    return view('hand scores').slice();
  }
}
