/**
 * A deep look at moves of Big 2: rollouts in deals of the hidden cards, all seats playing a network's best moves. It
 * takes seconds: run it in a worker. `rlcard_big2.search.analysis` does the same, with uniform beliefs.
 */

const GROUPS = 10; // of deals, drawn independently, each from its own stream
const T95 = 2.2621571628540993; // of Student's distribution, for that many groups
const BATCH = 128; // games at once
const SEATS = 4;
const MOST_LEGAL = 1695; // of thirteen cards

/**
 * @typedef {Object} MoveEstimate Outcome of a move; margins are half the widths of 95 % intervals.
 * @property {number} move
 * @property {number} cards mean payoff
 * @property {number} margin
 * @property {number} behind cards less than the best move's, in the same deals
 * @property {number} behind_margin 0 for the best move
 * @property {number} win share of games won
 */

/**
 * Estimate moves of a position, for the seat to move, from what it sees alone.
 * @param {ValueNetwork} network
 * @param {Position} position of four players with thirteen cards at the deal.
 * @param {number[]} moves legal ones.
 * @param {number} [deals] a multiple of 10.
 * @param {bigint[]} [streams] ten numbers of 64 bits, which determine the deals.
 * @returns {MoveEstimate[]} the best first.
 */
export function look(network, position, moves, deals = 200, streams = [...crypto.getRandomValues(new BigUint64Array(GROUPS))]) {
  const {players, hand_size: handSize} = position.rules.fields;
  if (players !== SEATS || handSize !== 13) throw new RangeError(`a deep look needs players=4 and hand_size=13: these rules have ${players} and ${handSize}`);
  if (!(deals > 0) || deals % GROUPS) throw new RangeError(`deals=${deals}: expected a multiple of ${GROUPS}`);
  const illegal = moves.find((move) => !position.legalMoves().includes(move));
  if (illegal !== undefined || !moves.length) throw new RangeError(moves.length ? `move ${illegal} is not legal` : 'no moves to look at');
  const hands = sample(position, deals, streams);
  const payoffs = moves.map((move) => playOut(network, position, hands, move));
  return compare(moves, payoffs);
}

/** Return deals of the hidden cards, four masks each; consecutive ones are of different groups. */
function sample(position, deals, streams) {
  const {kernels, array, view} = position.game._memory;
  const packed = position.observe(), each = deals / GROUPS;
  const repeated = new Uint8Array(GROUPS * packed.length);
  for (let group = 0; group < GROUPS; group++) repeated.set(packed, group * packed.length);
  const [address] = array('look hands', 'int64', SEATS * deals);
  kernels.sample(array('look packed', 'int8', repeated)[0], GROUPS, ...array('look streams', 'uint64', streams),
    address, GROUPS, each, SEATS);
  const hands = view('look hands').slice();
  const deal = (i) => (i % GROUPS * each + Math.floor(i / GROUPS)) * SEATS;
  return Array.from({length: deals}, (_, i) => hands.subarray(deal(i), deal(i) + SEATS));
}

/** Return the payoff of a move in each deal. */
function playOut(network, position, hands, move) {
  const payoffs = [];
  for (let start = 0; start < hands.length; start += BATCH) {
    payoffs.push(...playBatch(network, position, hands.slice(start, start + BATCH), move));
  }
  return payoffs;
}

function playBatch(network, position, hands, move) {
  const {kernels, array, view} = position.game._memory;
  const {records} = position.game.data, count = hands.length;
  const rules = [array('look rules', 'int8', position.rules.table)[0], 1];
  const games = [array('look games', 'int8', count * records.state.size)[0], count];
  const dealt = array('look deals', 'int64', hands.flatMap((hand) => [...hand]));
  kernels.branch(...rules, array('look packed', 'int8', position.observe())[0], 1, ...array('look owners', 'int64', Array(count).fill(0)),
    dealt[0], count, SEATS, ...array('look made', 'int64', Array(count).fill(move)), ...games);
  let running = array('look running', 'int64', hands.map((_, i) => i));
  const moves = array('look moves', 'int64', count * MOST_LEGAL), offsets = array('look offsets', 'int64', count + 1);
  const leads = array('look leads', 'int64', Array(count).fill(-1)); // who leads next, which the look does not report
  for (let left = count; ; running = [running[0], left]) {
    left = Number(kernels.advance(...rules, ...games, ...running, ...moves, ...offsets, ...leads));
    if (!left) break;
    running = [running[0], left];
    const bounds = Array.from(view('look offsets').subarray(0, left + 1), Number);
    const legal = view('look moves').slice(0, bounds[left]);
    const observations = array('look observations', 'int8', left * records.observation.size);
    kernels.observe_running(...rules, ...games, ...running, observations[0], left);
    const values = network.valuesOf(position.rules, view('look observations').slice(), legal, bounds);
    const chosen = Array.from({length: left}, (_, i) => {
      let best = bounds[i];
      for (let j = best + 1; j < bounds[i + 1]; j++) if (values[j] > values[best]) best = j;
      return legal[best];
    });
    kernels.make_moves(...rules, ...games, ...running, ...array('look made', 'int64', chosen));
  }
  kernels.settle(...rules, ...games, array('look payoffs', 'int64', count * SEATS)[0], count, SEATS);
  return Array.from({length: count}, (_, i) => Number(view('look payoffs')[i * SEATS])); // of the viewer, seat 0
}

/** Return the estimates of moves from their payoffs in the same deals. */
function compare(moves, payoffs) {
  const totals = payoffs.map((own) => own.reduce((sum, one) => sum + one, 0));
  const order = moves.map((_, i) => i).sort((a, b) => totals[b] - totals[a]);
  const best = payoffs[order[0]];
  return order.map((i) => {
    const [cards, margin] = estimate(payoffs[i]);
    const [behind, behindMargin] = estimate(payoffs[i].map((payoff, deal) => best[deal] - payoff));
    const win = payoffs[i].filter((payoff) => payoff > 0).length / payoffs[i].length;
    return {move: moves[i], cards, margin, behind, behind_margin: i === order[0] ? 0 : behindMargin, win};
  });
}

/** Return a mean and its margin, from the means of the groups. */
function estimate(numbers) {
  const groups = Array(GROUPS).fill(0);
  numbers.forEach((one, i) => { groups[i % GROUPS] += one * GROUPS / numbers.length; });
  const mean = groups.reduce((sum, one) => sum + one, 0) / GROUPS;
  const variance = groups.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (GROUPS - 1);
  return [mean, T95 * Math.sqrt(variance / GROUPS)];
}
