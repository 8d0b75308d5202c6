/**
 * The shipped networks: values of moves in Big 2, probabilities in Catch Five. The kernels write inputs and do the
 * arithmetic; the order of the layers is here, as in `rlcard_big2/nets/value_numpy.py` and `rlcard_catch5/nets/player.py`.
 * `network.d.ts` has the types.
 */

import {TOLD, UNIT, VALUES} from './constants.js';
import {readFile} from './engine.js';

/**
 * Load the network of an agent for some rules: that which was trained on them, else one that is told the rules, else that
 * whose training rules differ least.
 */
export async function loadNetwork(game, agent, rules, read = readFile) {
  const [found] = nearest(game, agent, rules);
  const weights = decodeWeights(await unzip(await read(found.file)), found.weights);
  const Kind = {value: ValueNetwork, beliefs: BeliefNetwork}[found.network.kind] ?? PolicyNetwork;
  return new Kind(game, found, weights);
}

/** Return whether a network of an agent was trained on these rules. */
export function isTrained(game, agent, rules) {
  return nearest(game, agent, rules)[1] === 0;
}

/** Return the description of the network for some rules, and the number of fields that differ; see `nearest` in `zoo.py`. */
function nearest(game, agent, rules) {
  const networks = game.data.networks[agent];
  if (!networks) throw new RangeError(`no network '${agent}': choose one of ${Object.keys(game.data.networks).join(', ')}`);
  const {fields} = game.rules(rules);
  const differences = networks.map(({rules: own}) => (own === null ? TOLD : Object.keys(own).filter((name) => `${own[name]}` !== `${fields[name]}`).length));
  const least = Math.min(...differences);
  return [networks[differences.indexOf(least)], least];
}

/** Return the calibration of a network's values under some rules, or null if there is none. */
export function calibrationUnder(game, {rules: own, calibration}, rules) {
  const {fields} = game.rules(rules);
  if (own === null) return calibration && calibrationByRules(game.data, calibration, fields);
  return Object.keys(own).every((field) => `${own[field]}` === `${fields[field]}`) ? calibration : null;
}

/** Return tables under some rules from three layers; see `CalibrationByRules` in `calibration.py`. */
function calibrationByRules(data, {rules, hidden, results}, fields) {
  const apply = (layer, x) => layer.map((row) => x.reduce((sum, value, i) => sum + row[i] * value, row[x.length]));
  const told = apply(rules, ruleInputs(data, fields)).map(Math.tanh), stake = stakeOf(data, fields);
  const found = VALUES.map((value) => apply(results, apply(hidden, [...told, value / UNIT]).map(Math.tanh)));
  const ascending = (numbers) => numbers.map((_, i) => Math.max(...numbers.slice(0, i + 1)));
  return {
    values: VALUES.map((value) => value * stake),
    win: ascending(found.map(([odds]) => 1 / (1 + Math.exp(-odds)))),
    cards: ascending(found.map(([, more], i) => (VALUES[i] + UNIT * more) * stake)),
  };
}

/** Return rules as inputs of a network that is told them; see `rule_inputs` in `rule_features.py`. */
function ruleInputs({told, counted}, fields) {
  const parts = told.map(([name, size, values]) => {
    const place = values.indexOf(fields[name]);
    return size === 1 ? [place] : Array.from({length: size}, (_, i) => Number(i === place));
  });
  const thresholds = [0, 1, 2].map((i) => fields.penalty_thresholds[i] ?? Infinity);
  return [...parts, ...thresholds.map((least) => Array.from({length: counted}, (_, i) => Number(i + 1 >= least)))].flat();
}

/** Return what one to all cards of a hand cost on average; see `stake` in `rule_features.py`. */
function stakeOf({counted, faceValue}, {hand_size: size, penalty_thresholds: thresholds, face_values: byFace}) {
  let sum = 0;
  for (let count = 1; count <= size; count++) sum += count * (1 + thresholds.filter((least) => count >= least).length);
  return sum / size * (byFace ? faceValue : 1) / ((counted + 1) / 2);
}

/** Interpolate a table linearly; beyond its ends it is constant. */
export function interpolated(x, from, to) {
  if (x <= from[0]) return to[0];
  const next = from.findIndex((value) => value > x);
  if (next < 0) return to[to.length - 1];
  return to[next - 1] + (to[next] - to[next - 1]) * (x - from[next - 1]) / (from[next] - from[next - 1]);
}

/** Return the bytes of a file that is compressed. */
export async function unzip(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Return float32 arrays by name from a file: the low bytes of all numbers in float16, then the high ones. */
function decodeWeights(bytes, shapes) {
  const count = bytes.length / 2, all = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const high = bytes[count + i], exponent = high >> 2 & 31, fraction = (high & 3) << 8 | bytes[i];
    all[i] = (high >> 7 ? -1 : 1) * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : fraction * 2 ** -24);
  }
  let end = 0;
  return Object.fromEntries(Object.entries(shapes).map(([name, [rows, columns]]) =>
    [name, all.subarray(end, end += rows * columns)]));
}

/** Layers of a network whose weights are in the memory of a game's kernels. */
class Network {
  constructor(game, description, weights) {
    this.game = game;
    /** The calibration of values, as in `settings.json`; see `calibrationUnder`. */
    this.calibration = description.calibration;
    /** The rules that it was trained on, by field; null if it is told the rules. */
    this.rules = description.rules;
    this.description = description;
    this.memory = game._memory;
    this.sizes = description.weights;
    for (const [name, values] of Object.entries(weights)) this.memory.array(this.key(name), 'float32', values);
  }

  key(name) {
    return `${this.description.file}:${name}`;
  }

  /** Return the address and dimensions of weights, or of some of their rows. */
  weight(name, first = 0, last = this.sizes[name][0]) {
    const columns = this.sizes[name][1], values = this.memory.view(this.key(name));
    return [values.byteOffset + 4 * columns * first, last - first, columns];
  }

  bias(name) {
    return this.weight(name).filter((_, i) => i !== 1);
  }

  /** Return a copy of weights: the memory itself moves when it grows. */
  copy(name) {
    return this.memory.view(this.key(name)).slice();
  }

  /** Return the address and dimensions of an array of numbers, all 0 or rows of a bias. */
  floats(name, rows, columns, bias) {
    const [address] = this.memory.array(name, 'float32', rows * columns), values = this.memory.view(name);
    if (bias) for (let row = 0; row < rows; row++) values.set(bias, row * columns);
    else values.fill(0);
    return [address, rows, columns];
  }

  bytes(name, rows, columns) {
    const [address] = this.memory.array(name, 'int8', rows * columns);
    this.memory.view(name).fill(0);
    return [address, rows, columns];
  }

  observations(packed) {
    const {size} = this.game.data.records.observation;
    return [this.memory.array('packed', 'int8', packed)[0], packed.length / size];
  }

  /** Apply the layers `layers.N` to x, with their outputs added to their inputs if the network is residual. */
  hidden(x) {
    const {kernels} = this.memory;
    let y;
    for (let layer = 0; `layers.${layer}.weight` in this.sizes; layer++) {
      y = this.floats(`layer ${layer % 2}`, x[1], x[2]);
      kernels.add_product(...x, ...this.weight(`layers.${layer}.weight`), ...y);
      kernels.add_bias(...this.bias(`layers.${layer}.bias`), ...y);
      x = y;
    }
    return x;
  }

  /** Make f(x) + x one product. */
  addIdentity() {
    for (let layer = 0; `layers.${layer}.weight` in this.sizes; layer++) {
      const [, rows, columns] = this.weight(`layers.${layer}.weight`);
      const values = this.memory.view(this.key(`layers.${layer}.weight`));
      for (let i = 0; i < rows; i++) values[i * columns + i] += 1;
    }
  }

  /** Return a linear layer of x as an array of floats. */
  linear(name, x) {
    const bias = this.copy(`${name}.bias`);
    const out = this.floats(name, x[1], bias.length, bias);
    this.memory.kernels.add_product(...x, ...this.weight(`${name}.weight`), ...out);
    return this.memory.view(name).slice();
  }

  owners(offsets) {
    const owners = new BigInt64Array(offsets.at(-1));
    for (let i = 0; i + 1 < offsets.length; i++) owners.fill(BigInt(i), offsets[i], offsets[i + 1]);
    return this.memory.array('owners', 'int64', owners);
  }
}

/** Layers that encode what a seat of Big 2 sees. */
class StateNetwork extends Network {
  /** Return the states' part of the first layer. */
  encode(observations, rules = null) {
    const {kernels} = this.memory, {features, stateFeatures} = this.game.data;
    const [inputs, size] = this.sizes['state.weight'];
    const history = this.sizes['history.bias']?.[1] ?? (this.sizes['lstm.bias_hh_l0']?.[1] ?? 0) / 4;
    const kept = inputs - history, width = features + kept - stateFeatures;
    const states = this.bytes('states', observations[1], width);
    kernels.write_observations(...observations, ...states);
    if (rules) {
      const own = ruleInputs(this.game.data, rules.fields), all = this.memory.view('states');
      for (let end = width; end <= all.length; end += width) all.set(own, end - own.length);
    }
    const encoded = this.floats('encoded', states[1], size, this.copy('state.bias'));
    kernels.add_rows(...states, 0n, ...this.weight('state.weight', 0, stateFeatures), ...encoded);
    kernels.add_rows(...states, BigInt(features), ...this.weight('state.weight', stateFeatures, kept), ...encoded);
    if (history) kernels.add_product(...this.summarise(states, history), ...this.weight('state.weight', kept), ...encoded);
    return encoded;
  }

  /** Return the summary of the last 16 moves. */
  summarise(states, size) {
    const {kernels} = this.memory, first = this.game.data.stateFeatures;
    if (this.sizes['history.weight']) {
      const summary = this.floats('summary', states[1], size);
      kernels.add_rows(...states, BigInt(first), ...this.weight('history.weight'), ...summary);
      kernels.add_bias(...this.bias('history.bias'), ...summary);
      return summary;
    }
    const hidden = this.floats('hidden', states[1], size), cell = this.floats('cell', states[1], size);
    const other = this.copy('lstm.bias_hh_l0');
    const bias = this.copy('lstm.bias_ih_l0').map((value, i) => value + other[i]);
    const step = this.sizes['lstm.weight_ih_l0'][0];
    for (let start = first; start < this.game.data.features; start += step) {
      const gates = this.floats('gates', states[1], 4 * size, bias);
      kernels.add_rows(...states, BigInt(start), ...this.weight('lstm.weight_ih_l0'), ...gates);
      kernels.add_product(...hidden, ...this.weight('lstm.weight_hh_l0'), ...gates);
      kernels.lstm_step(...gates, ...cell, ...cell, ...hidden, ...hidden);
    }
    return hidden;
  }
}

/** Values of moves in Big 2, in cards; `rlcard_big2.nets.value_numpy` describes the network. */
export class ValueNetwork extends StateNetwork {
  constructor(game, description, weights) {
    super(game, description, weights);
    if (description.network.variant !== 'plain') this.addIdentity();
    this.general = Uint8Array.from(atob(game.data.general), (letter) => letter.charCodeAt(0));
    const gates = this.sizes['lstm.bias_ih_l0']?.[1];
    for (const name of Object.keys(this.sizes).filter((other) => other.startsWith('lstm.'))) {
      const values = this.memory.view(this.key(name)); // the logistic function of x is 1/2 + tanh(x / 2) / 2
      for (let i = 0; i < values.length; i++) if (Math.floor(i % gates / (gates / 4)) !== 2) values[i] /= 2;
    }
  }

  /** Return the value of each legal move of a position. */
  values(position) {
    const moves = position.legalMoves();
    return this.valuesOf(position.rules, position.observe(), moves, [0, moves.length]);
  }

  /** Return the value of each legal move of N positions. */
  valuesOf(rules, packed, moves, offsets) {
    const {kernels} = this.memory, size = this.sizes['action.weight'][1];
    const observations = this.observations(packed), owners = this.owners(offsets);
    const {inputs} = this.description.network, isTold = inputs === 'tables';
    const encoded = this.encode(observations, isTold ? rules : null);
    const actions = this.bytes('actions', moves.length, this.sizes['action.weight'][0]);
    const table = isTold || inputs === 'rules' ? rules.table : this.general;
    kernels.write_actions(this.memory.array('table', 'int8', table)[0], 1, ...observations,
      ...this.memory.array('moves', 'int64', moves), ...owners, ...actions);
    const x = this.floats('first', moves.length, size);
    kernels.add_rows(...actions, 0n, ...this.weight('action.weight'), ...x);
    kernels.add_states(...encoded, ...owners, ...x);
    const values = this.linear('value', this.hidden(x));
    return isTold ? values.map((value) => value * stakeOf(this.game.data, rules.fields)) : values;
  }
}

/**
 * Scores of deals of the hidden cards: how much likelier than at random, as a logarithm, up to a constant;
 * `rlcard_big2.nets.beliefs` describes the network.
 */
export class BeliefNetwork extends StateNetwork {
  constructor(game, description, weights) {
    super(game, description, weights);
    this.addIdentity();
  }

  /** Return the score of each deal, four masks, given one packed observation. */
  scores(rules, packed, deals) {
    const {kernels, array} = this.memory, count = deals.length / 4;
    const observations = this.observations(packed), owners = this.owners([0, count]);
    const encoded = this.encode(observations);
    const hands = this.bytes('hands', count, this.sizes['hands.weight'][0]);
    kernels.write_hands(array('table', 'int8', rules.table)[0], 1, ...observations, ...owners,
      array('deals', 'int64', deals)[0], count, 4, ...hands);
    const x = this.floats('first', count, this.sizes['hands.weight'][1]);
    kernels.add_rows(...hands, 0n, ...this.weight('hands.weight'), ...x);
    kernels.add_states(...encoded, ...owners, ...x);
    const out = this.floats('score', count, 1);
    kernels.add_product(...this.hidden(x), ...this.weight('score.weight'), ...out);
    return Float64Array.from(this.memory.view('score'));
  }
}

/** Probabilities of moves in Catch Five; `rlcard_catch5.nets.agents.NumpySuits` describes the network. */
export class PolicyNetwork extends Network {
  constructor(game, description, weights) {
    super(game, description, weights);
    this.addIdentity();
  }

  /**
   * Return the probability of each legal move of a position, those by which the network chooses, which add up equal moves,
   * the place of the move that stands for each, and the expected payoff in points.
   */
  evaluate(position) {
    const moves = position.legalMoves(), given = [position.observe(), moves, [0, moves.length]];
    const probabilities = this.probabilitiesOf(...given), folded = this.fold(position.rules, ...given, probabilities);
    return {
      probabilities: Array.from(probabilities), folded: Array.from(folded), chosen: Array.from(this.memory.view('chosen'), Number),
      value: this.memory.view('value')[0] * this.description.network.payoff_unit,
    };
  }

  /**
   * Return probabilities of the legal moves of N positions with those of equal moves added up: see
   * `rlcard_catch5/nets/equal_moves.py`.
   */
  fold(rules, packed, moves, offsets, probabilities) {
    const {kernels, array, view} = this.memory;
    kernels.fold(array('table', 'int8', rules.table)[0], 1, ...this.observations(packed), ...array('moves', 'int64', moves),
      ...array('offsets', 'int64', offsets), ...array('probabilities', 'float64', probabilities), ...array('chosen', 'int64', moves.length));
    return view('probabilities').slice();
  }

  /** Return the probability of each legal move of N positions. */
  probabilitiesOf(packed, moves, offsets) {
    const {kernels, array, view} = this.memory, observations = this.observations(packed), count = observations[1];
    const inputs = this.bytes('states', count, this.game.data.features), places = this.bytes('places', count, 4);
    kernels.write_sorted(...observations, ...inputs, ...places);
    const state = this.floats('first', count, this.sizes['state.weight'][1]);
    kernels.add_rows(...inputs, 0n, ...this.weight('state.weight'), ...state);
    kernels.add_bias(...this.bias('state.bias'), ...state);
    const x = this.hidden(state), owners = this.owners(offsets), renamed = array('renamed', 'int64', moves.length);
    this.linear('logits', x);
    this.linear('value', x);
    kernels.write_renamed(...array('moves', 'int64', moves), ...owners, ...places, ...renamed);
    kernels.softmax(view('logits').byteOffset, count, view('logits').length / count, ...renamed, ...array('offsets', 'int64', offsets), ...array('probabilities', 'float64', moves.length));
    return view('probabilities').slice();
  }
}
