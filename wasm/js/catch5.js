/**
 * Search and deep looks in Catch Five: moves are played out in deals of the hidden cards that agree with what the other
 * seats bid and played. They take a time: run them in a worker. `rlcard_catch5.search` and `rlcard_catch5.search.analysis`
 * do the same, and describe it. `catch5.d.ts` has the types.
 */

import {GROUPS} from './constants.js';
import {
  AT_ONCE, CANDIDATES, FIRST_CARD_PLY, LEAST_SHARE, NUM_PLAYERS as SEATS, NUM_PLIES as PLIES, OUTCOME_SD, PRIOR, PRIOR_SD, PROPOSALS,
  TRUMP_PLY, WORLDS,
} from './constants.catch5.js';
import {checkLook, compare, highest, mean, newStreams} from './estimates.js';

const BATCH = 256; // games played out at once
const DRAWING = 0.4; // of the time of a look goes into drawing deals

/** Choose a move of a position, for the seat to move, from what it sees alone. */
export function search(network, position, {worlds = WORLDS, stream = newStreams(1)[0]} = {}) {
  const moves = position.legalMoves(), {folded: probabilities} = network.evaluate(position);
  const order = [...moves.keys()].sort((a, b) => probabilities[b] - probabilities[a]).slice(0, CANDIDATES);
  const near = order.filter((i) => probabilities[i] >= LEAST_SHARE);
  if (near.length < 2) return {move: moves[highest(probabilities)], candidates: []};
  const games = drawWorlds(network, position, stream, worlds);
  const {ahead} = playOut(network, position, games, near.map((i) => moves[i]));
  const candidates = near.map((i, k) => ({move: moves[i], probability: probabilities[i], outcomes: ahead.slice(k * worlds, (k + 1) * worlds)}));
  return {move: candidates[highest(candidates.map((one) => estimate(one, candidates[0])))].move, candidates};
}

/** Return by how many points a candidate is better than the likeliest one. */
function estimate({probability, outcomes}, likeliest) {
  if (outcomes === likeliest.outcomes) return 0;
  const count = outcomes.length, differences = outcomes.map((outcome, i) => outcome - likeliest.outcomes[i]);
  const gain = mean(differences), spread = mean(differences.map((one) => (one - gain) ** 2));
  const weight = count / (spread + OUTCOME_SD ** 2 / count), prior = PRIOR * Math.log(probability / likeliest.probability);
  return (gain * weight + prior / PRIOR_SD ** 2) / (weight + 1 / PRIOR_SD ** 2);
}

/** Estimate moves of a position, for the seat to move, from what it sees alone; the best first. */
export function look(network, position, moves, {deals = 200, streams = newStreams(), onprogress = () => {}} = {}) {
  checkLook(position, moves, deals);
  const {size} = position.game.data.records.state, games = new Int8Array(deals * size);
  streams.forEach((stream, group) => {
    const drawn = drawWorlds(network, position, stream, deals / GROUPS);
    for (let i = 0; i < deals / GROUPS; i++) games.set(drawn.subarray(i * size, (i + 1) * size), (i * GROUPS + group) * size);
    onprogress(DRAWING * (group + 1) / GROUPS);
  });
  const ends = playOut(network, position, games, moves, (share) => onprogress(DRAWING + (1 - DRAWING) * share));
  const outcomes = moves.map((move, i) => {
    const [ahead, own, made, trick, five] = Object.values(ends).map((all) => all.slice(i * deals, (i + 1) * deals));
    const counted = made.filter((_, deal) => position.ply >= TRUMP_PLY || own[deal]);
    const events = {ahead: ahead.map((points) => points > 0)};
    if (position.ply >= TRUMP_PLY) events[own[0] ? 'make' : 'set'] = made.map((isMade) => isMade === own[0]);
    if (position.ply >= FIRST_CARD_PLY) Object.assign(events, {five, trick});
    return {move, payoffs: ahead, made: counted.length ? mean(counted) : null, events};
  });
  return compare(outcomes).map(({mean: points, payoffs, events, ...one}) => ({points, ...one}));
}

/**
 * Draw games that agree with what the seat to move sees, in proportion to the likelihood of the others' choices; in
 * them it is seat 0.
 * @returns {Int8Array} their states, one after the other.
 */
function drawWorlds(network, position, stream, count) {
  const {kernels, array, view} = network.memory, {size} = position.game.data.records.state, proposed = count * PROPOSALS;
  const rules = [array('world rules', 'int8', position.rules.table)[0], 1];
  const random = array('world stream', 'uint64', [stream]);
  const games = [array('world games', 'int8', new Int8Array(proposed * size))[0], proposed];
  const dealt = [array('world deals', 'int64', new BigInt64Array(proposed * SEATS))[0], proposed, SEATS];
  kernels.sample(...rules, array('world packed', 'int8', position.observe())[0], 1, ...random, ...games, ...dealt);
  const logs = judge(network, position.game.data, rules, games, dealt), most = logs.reduce((a, b) => Math.max(a, b));
  let total = 0;
  const totals = array('world weights', 'float64', logs.map((log) => (total += Math.exp(log - most))));
  kernels.draw_indices(totals[0], 1, proposed, ...random, array('worlds drawn', 'int64', count)[0], 1, count);
  const drawn = new Int8Array(count * size), all = view('world games');
  view('worlds drawn').forEach((index, i) => drawn.set(all.subarray(Number(index) * size, (Number(index) + 1) * size), i * size));
  return drawn;
}

/** Return the logarithm of the likelihood of the other seats' choices in each game. */
function judge(network, {records, mostLegal}, rules, [games, count], [dealt]) {
  const {kernels, array, view} = network.memory, most = AT_ONCE * PLIES, {state, observation} = records;
  const logs = array('world logs', 'float64', new Float64Array(count));
  const seen = [array('choices seen', 'int8', most * observation.size)[0], most];
  const [moves, offsets, made, owners] = [['choices', most * mostLegal], ['choice offsets', most + 1], ['choices made', most], ['choice owners', most]].map(([name, length]) => array(name, 'int64', length));
  for (let first = 0; first < count; first += AT_ONCE) {
    const part = Math.min(AT_ONCE, count - first);
    const found = Number(kernels.list_choices(...rules, games + state.size * first, part, dealt + 8 * SEATS * first, part, SEATS, ...seen, ...moves, ...offsets, ...made, ...owners));
    if (!found) continue;
    const bounds = Array.from(view('choice offsets').subarray(0, found + 1), Number);
    const packed = new Uint8Array(view('choices seen').subarray(0, found * observation.size));
    const chances = network.probabilitiesOf(packed, view('choices').slice(0, bounds[found]), bounds);
    kernels.add_likelihoods(...array('choice chances', 'float64', chances), offsets[0], found + 1, made[0], found, owners[0], found, logs[0] + 8 * first, part);
  }
  return view('world logs').slice();
}

/**
 * Make each of some moves in all games and play on by the likeliest moves.
 * @returns {Object} by game, the games after the first move first: the points by which the viewer's team is `ahead`, and
 *   whether the winning bid is its `own`, that bid was `made`, and it won the next `trick` and the `five` of trumps.
 */
function playOut(network, position, games, moves, onprogress = () => {}) {
  const {size} = position.game.data.records.state, count = games.length / size, ends = {ahead: [], own: [], made: [], trick: [], five: []};
  moves.forEach((move, i) => {
    for (let start = 0; start < count; start += BATCH) {
      const part = games.subarray(start * size, (start + BATCH) * size), found = playBatch(network, position, part, move);
      Object.keys(ends).forEach((name) => ends[name].push(...found[name]));
      onprogress((i + Math.min(1, (start + BATCH) / count)) / moves.length);
    }
  });
  return ends;
}

function playBatch(network, position, states, move) {
  const {kernels, array, view} = network.memory, {records, mostLegal} = position.game.data;
  const count = states.length / records.state.size;
  const rules = [array('played rules', 'int8', position.rules.table)[0], 1], games = [array('played games', 'int8', states)[0], count];
  const seen = [array('played seen', 'int8', count * records.observation.size)[0], count];
  const moves = array('played moves', 'int64', count * mostLegal), offsets = array('played offsets', 'int64', count + 1);
  let running = array('running', 'int64', [...Array(count).keys()]);
  let made = array('moves made', 'int64', Array(count).fill(move));
  for (;;) {
    const left = Number(kernels.advance(...rules, ...games, ...running, ...made, ...seen, ...moves, ...offsets));
    if (!left) break;
    const bounds = Array.from(view('played offsets').subarray(0, left + 1), Number), legal = view('played moves').slice(0, bounds[left]);
    const packed = new Uint8Array(view('played seen').subarray(0, left * records.observation.size));
    const probabilities = network.fold(position.rules, packed, legal, bounds, network.probabilitiesOf(packed, legal, bounds));
    running = [running[0], left];
    made = array('moves made', 'int64', BigInt64Array.from({length: left}, (_, i) => legal[highest(probabilities, bounds[i], bounds[i + 1])]));
  }
  const trick = position.values.winners.filter((seat) => seat >= 0).length;
  kernels.settle(...rules, ...games, array('played payoffs', 'int64', count * SEATS)[0], count, SEATS);
  kernels.ends(...games, BigInt(trick), array('played ends', 'int64', count * 4)[0], count, 4);
  const payoffs = view('played payoffs'), ends = view('played ends');
  const column = (k) => Array.from({length: count}, (_, i) => ends[4 * i + k] === 1n);
  return {
    ahead: Array.from({length: count}, (_, i) => Number(payoffs[SEATS * i] - payoffs[SEATS * i + 1])),
    own: column(0), made: column(1), trick: column(2), five: column(3),
  };
}
