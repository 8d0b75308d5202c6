/**
 * Search in Big 2: the best moves by a network's values are played out in deals of the hidden cards. It takes a time that
 * you choose: run it in a worker. `rlcard_big2.search.agent` does the same, and describes it. `search.d.ts` has
 * the types.
 */

import {
  CANDIDATES, GAP, LARGEST, MIN_GAIN, MIN_ROUND, NUM_PLAYERS as SEATS, OUTCOME_SD, PRIOR_SD, ROUND, SHRINKAGE,
} from './constants.big2.js';
import {highest, newStreams} from './estimates.js';
import {interpolated} from './network.js';
import {Chains} from './posterior.js';
import {playOut} from './rollouts.js';

/** Choose a move of a position, for the seat to move, from what it sees alone. */
export function search(players, position, {worlds, milliseconds, stream = newStreams(1)[0]}) {
  const start = performance.now(), moves = position.legalMoves();
  const values = players.network.values(position), proofs = position.proofs();
  const won = proofs.some((payoff) => payoff !== 0);
  const candidates = won ? [] : candidatesOf(players, moves, values);
  if (candidates.length < 2) return {move: moves[highest(values.map((value, i) => (won && proofs[i] === 0 ? -Infinity : value)))], candidates: []};
  const chains = new Chains(players, position, stream, worlds);
  const play = (count) => addRound(players, position, candidates, chains.draw(count));
  if (milliseconds === undefined) playWorlds(play, candidates, worlds);
  else playUntil(play, candidates, start + milliseconds);
  const open = candidates.filter(({isOpen}) => isOpen);
  return {move: open[highest(open.map(({mean}) => mean))].move, candidates};
}

function candidatesOf({calibration}, moves, values) {
  const order = moves.map((_, i) => i).sort((a, b) => values[b] - values[a]).slice(0, CANDIDATES);
  const near = order.filter((i) => values[i] >= values[order[0]] - GAP);
  return near.map((i) => {
    const expected = calibration ? interpolated(values[i], calibration.values, calibration.cards) : values[i];
    return {move: moves[i], expected, mean: expected, outcomes: [], isOpen: true};
  });
}

function isSettled(candidates) {
  return candidates.filter(({isOpen}) => isOpen).length < 2;
}

/** Return the most deals of the next round. */
function roundAfter(played) {
  return Math.min(Math.max(ROUND, Math.floor(played / 2)), LARGEST);
}

function playWorlds(play, candidates, worlds) {
  for (let played = 0; played < worlds && !isSettled(candidates);) {
    const count = Math.min(roundAfter(played), worlds - played);
    play(count);
    played += count;
  }
}

/** Play rounds until a time of the clock, each of as many deals as are expected to end by then. */
function playUntil(play, candidates, end) {
  let begun = performance.now(), played = 0, count = MIN_ROUND;
  while (begun < end && count >= MIN_ROUND && !isSettled(candidates)) {
    play(count);
    played += count;
    const now = performance.now(), fitting = Math.floor((end - now) / (now - begun) * count);
    [begun, count] = [now, Math.min(roundAfter(played), fitting)];
  }
}

/** Play out the open candidates in more deals, and drop those that are behind. */
function addRound(players, position, candidates, deals) {
  const places = new Map(), unique = [], count = deals.length / SEATS; // equal deals are played out once
  const rows = Array.from({length: count}, (_, i) => {
    const key = deals.subarray(SEATS * i, SEATS * (i + 1)).join();
    if (!places.has(key)) unique.push(...deals.subarray(SEATS * i, SEATS * (i + 1)));
    return places.get(key) ?? places.set(key, places.size).get(key);
  });
  const open = candidates.filter(({isOpen}) => isOpen);
  const hands = BigInt64Array.from(open.flatMap(() => unique)), made = open.flatMap(({move}) => Array(places.size).fill(move));
  const {payoffs} = playOut(players.quick, position, hands, made);
  open.forEach(({outcomes}, i) => outcomes.push(...rows.map((row) => payoffs[i * places.size + row])));
  estimate(open);
}

/** Estimate open candidates, which have outcomes in the same deals, with the network's values as the prior. */
function estimate(open) {
  const towards = (best) => open.map((one) => shrunk(one.expected - best.expected, one.outcomes.map((outcome, i) => outcome - best.outcomes[i])));
  const best = open[highest(towards(open[0]).map(({mean}) => mean))];
  const found = towards(best);
  open.forEach((one, i) => { one.mean = best.expected + (one === best ? 0 : found[i].mean); });
  const most = open.reduce((highestMean, {mean}) => Math.max(highestMean, mean), -Infinity);
  open.forEach((one, i) => { one.isOpen = one.mean === most || expectedGain(most - one.mean, one === best ? 0 : found[i].error) >= MIN_GAIN; });
}

/** Return a difference between moves, shrunk towards that of the network, and its standard error. */
function shrunk(prior, differences) {
  const count = differences.length, mean = differences.reduce((sum, one) => sum + one, 0) / count;
  const spread = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / count;
  const variance = (spread + OUTCOME_SD ** 2 / count) / count;
  const precision = 1 / variance + 1 / PRIOR_SD ** 2;
  return {mean: prior + SHRINKAGE * (mean - prior) / variance / precision, error: SHRINKAGE / Math.sqrt(precision)};
}

/** Return the expected improvement of a move over the best, given its normal difference to it. */
function expectedGain(behind, error) {
  if (error === 0) return 0;
  const distance = behind / error, density = Math.exp(-(distance ** 2) / 2) / Math.sqrt(2 * Math.PI);
  return error * density - behind * upperTail(distance, density);
}

/** Return the share of the normal distribution above a number that is not negative (Abramowitz and Stegun 26.2.17). */
function upperTail(distance, density) {
  const t = 1 / (1 + 0.2316419 * distance);
  return density * t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
}
