/**
 * A deep look at moves of Big 2: rollouts in deals of the hidden cards, all seats playing a network's best moves. It
 * takes seconds: run it in a worker. `rlcard_big2.search.analysis` does the same. `look.d.ts` has the types.
 */

import {FEW, NUM_PLAYERS as SEATS, VIEWER} from './constants.big2.js';
import {GROUPS} from './constants.js';
import {checkLook, compare, mean, newStreams} from './estimates.js';
import {Chains} from './posterior.js';
import {playOut} from './rollouts.js';

const DRAWING = 0.3; // of the time goes into drawing deals

/** Estimate moves of a position, for the seat to move, from what it sees alone; the best first. */
export function look(players, position, moves, {deals = 200, streams = newStreams(), onprogress = () => {}} = {}) {
  checkLook(position, moves, deals);
  const drawn = streams.map((stream, group) => {
    const count = deals / GROUPS, found = new Chains(players, position, stream, count, position.trace).draw(count);
    onprogress(DRAWING * (group + 1) / GROUPS);
    return found;
  });
  const hands = new BigInt64Array(moves.length * SEATS * deals), made = moves.flatMap((move) => Array(deals).fill(move));
  made.forEach((_, game) => { // consecutive deals are of different groups
    const group = game % GROUPS, place = SEATS * Math.floor(game % deals / GROUPS);
    hands.set(drawn[group].subarray(place, place + SEATS), SEATS * game);
  });
  const {players: seats, places} = position.rules.fields, leastWin = places ? seats - 1 : 1;
  const {payoffs, leads} = playOut(players.network, position, hands, made, (count) => onprogress(DRAWING + (1 - DRAWING) * count / made.length));
  return compare(moves.map((move, i) => {
    const [own, lead] = [payoffs, leads].map((all) => all.slice(i * deals, (i + 1) * deals));
    const events = {safe: lead.map((seat) => seat <= SEATS + VIEWER), win: own.map((one) => one >= leastWin), few: own.map((one) => one >= -FEW)};
    if (move) events.lead = lead.map((seat) => seat % SEATS === VIEWER); // by the rules, no pass keeps it
    return {move, payoffs: own, events};
  })).map(({move, mean: cards, margin, behind, behind_margin, events, reason}) => ({move, cards, margin, behind, behind_margin, win: mean(events.win), reason}));
}
