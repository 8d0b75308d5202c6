/**
 * A deep look at moves of Big 2: rollouts in deals of the hidden cards, all seats playing a network's best moves. It
 * takes seconds: run it in a worker. `rlcard_big2.search.analysis` does the same.
 */

import {Chains} from './posterior.js';
import {playOut, SEATS} from './rollouts.js';

const GROUPS = 10; // of deals, drawn independently, each from its own stream
const T95 = 2.2621571628540993; // of Student's distribution, for that many groups
const FEW = 5; // cards paid
const LEAST = 0.1; // difference of two shares that is worth a sentence
const CLEAR = 2; // margins of it: a difference of fewer may be chance
const CERTAIN = 1e-9; // a margin of 0
const DRAWING = 0.3; // of the time goes into drawing deals

/**
 * @typedef {Object} Reason An event that happens more often after the best move than after another.
 * @property {'win' | 'lead' | 'few'} event the own seat wins, leads the next trick, or pays at most five cards
 * @property {number} best share of the deals in which it happens after the best move
 * @property {number} other after the other move
 * @property {number} margin of the difference
 *
 * @typedef {Object} MoveEstimate Outcome of a move; margins are half the widths of 95 % intervals.
 * @property {number} move
 * @property {number} cards mean payoff
 * @property {number} margin
 * @property {number} behind cards less than the best move's, in the same deals
 * @property {number} behind_margin 0 for the best move
 * @property {number} win share of games won
 * @property {Reason | null} reason why the best move is better, if that is clear
 */

/**
 * Estimate moves of a position, for the seat to move, from what it sees alone.
 * @param {Players} players
 * @param {Position} position of the rules that the players were loaded for.
 * @param {number[]} moves legal ones.
 * @param {{deals?: number, streams?: bigint[], onprogress?: function(number): void}} [options] deals: a multiple of 10;
 *   streams: ten numbers of 64 bits, which determine the deals; onprogress: called with the share that is done.
 * @returns {MoveEstimate[]} the best first.
 */
export function look(players, position, moves, {deals = 200, streams = [...crypto.getRandomValues(new BigUint64Array(GROUPS))], onprogress = () => {}} = {}) {
  if (!(deals > 0) || deals % GROUPS) throw new RangeError(`deals=${deals}: expected a multiple of ${GROUPS}`);
  const illegal = moves.find((move) => !position.legalMoves().includes(move));
  if (illegal !== undefined || !moves.length) throw new RangeError(moves.length ? `move ${illegal} is not legal` : 'no moves to look at');
  const drawn = streams.map((stream, group) => {
    const found = new Chains(players, position, stream).draw(deals / GROUPS);
    onprogress(DRAWING * (group + 1) / GROUPS);
    return found;
  });
  const hands = new BigInt64Array(moves.length * SEATS * deals), made = moves.flatMap((move) => Array(deals).fill(move));
  made.forEach((_, game) => { // consecutive deals are of different groups
    const group = game % GROUPS, place = SEATS * Math.floor(game % deals / GROUPS);
    hands.set(drawn[group].subarray(place, place + SEATS), SEATS * game);
  });
  const {payoffs, leads} = playOut(players.network, position, hands, made, (count) => onprogress(DRAWING + (1 - DRAWING) * count / made.length));
  return compare(moves.map((move, i) => {
    const own = payoffs.slice(i * deals, (i + 1) * deals);
    const events = {win: own.map((one) => one > 0), lead: leads.slice(i * deals, (i + 1) * deals).map((seat) => seat === 0), few: own.map((one) => one >= -FEW)};
    return {move, payoffs: own, events};
  }));
}

/** Return the estimates of moves from their payoffs and events in the same deals. */
function compare(outcomes) {
  const order = [...outcomes].sort((a, b) => mean(b.payoffs) - mean(a.payoffs));
  const [best] = order;
  return order.map(({move, payoffs, events}) => {
    const behind = payoffs.map((payoff, deal) => best.payoffs[deal] - payoff);
    const behindMargin = move === best.move ? 0 : marginOf(behind);
    return {
      move, cards: mean(payoffs), margin: marginOf(payoffs), behind: mean(behind), behind_margin: behindMargin, win: mean(events.win),
      reason: reasonOf(best.events, events, marginOf),
    };
  });
}

/**
 * Return the clearest reason why a move is better than another in the same deals; null if no event is clear.
 *
 * @param best whether each event happened after the better move, by deal
 * @param other the same after the other move
 * @param marginOf returns the margin of the mean of numbers
 */
export function reasonOf(best, other, marginOf) {
  const found = Object.keys(best).map((event) => {
    const differences = best[event].map((happened, deal) => happened - other[event][deal]);
    return {event, best: mean(best[event]), other: mean(other[event]), margin: marginOf(differences)};
  }).filter((one) => one.best - one.other >= Math.max(LEAST, CLEAR * one.margin));
  const clarity = (one) => (one.best - one.other) / Math.max(one.margin, CERTAIN);
  return found.reduce((most, one) => (most && clarity(most) >= clarity(one) ? most : one), null);
}

function mean(numbers) {
  return numbers.reduce((sum, one) => sum + Number(one), 0) / numbers.length;
}

/** Return the margin of the mean of numbers, from the means of the groups. */
function marginOf(numbers) {
  const groups = Array.from({length: GROUPS}, (_, group) => mean(numbers.filter((_one, i) => i % GROUPS === group)));
  const variance = groups.reduce((sum, one) => sum + (one - mean(groups)) ** 2, 0) / (GROUPS - 1);
  return T95 * Math.sqrt(variance / GROUPS);
}
