/**
 * Records of games as JSON objects, in the formats of the Python library: games from the deal on, with all hands known.
 *
 *     const positions = readRecord(big2, JSON.parse(line));
 *     const record = writeRecord(positions[0], moves, {seats: [{name: 'Ann'}, ...]});
 */

import {HAND_SIZE, MOST_STOCK, ORDERS} from './constants.catch5.js';
import {NUM_CARDS} from './constants.js';
import {cardsOf} from './engine.js';

const VERSION = 1; // of both formats

/** Read a record, and check it by replaying it; return its positions, from the deal to the last move. */
export function readRecord(game, record) {
  if (record[game.name] !== VERSION) throw new RangeError(`${game.name} is ${JSON.stringify(record[game.name])}: expected ${VERSION}, the number of the format`);
  if (record.before) throw new RangeError('before is given: expected a game from its deal on');
  const rules = game.rules(record.rules);
  const deal = game.data.records.deal ? readDeal(record.deal) : record.hands.map((hand) => readHand(game, rules, hand));
  checkHands(game, rules, deal.hands ?? deal);
  const positions = [game.start(rules, deal)];
  record.moves.forEach((text, i) => {
    const at = positions.at(-1), legal = at.legalMoves();
    const move = legal.find((one) => alike(at.text(one)) === alike(text));
    if (move === undefined) throw new RangeError(`move ${i + 1}, ${text} by seat ${at.player}, is not legal: expected one of ${legal.slice(0, 10).map((one) => at.text(one)).join(', ')}`);
    positions.push(at.play(move));
  });
  const payoffs = JSON.stringify(positions.at(-1).settle());
  if (record.payoffs && JSON.stringify(record.payoffs) !== payoffs) throw new RangeError(`payoffs are ${JSON.stringify(record.payoffs)}: the moves give ${payoffs}`);
  return positions;
}

/** Write a game as a record, given its first position and its moves. */
export function writeRecord(start, moves, extra = {}) {
  const {game, rules} = start, texts = [];
  const end = moves.reduce((at, move) => {
    texts.push(at.text(move));
    return at.play(move);
  }, start);
  const hands = start.values.hands.slice(0, rules.players);
  const deal = game.data.records.deal ? {deal: writeDeal(start.values, end.values)} : {hands: hands.map((hand) => game.text(rules, hand))};
  return {[game.name]: VERSION, rules: rules.name ?? rules.fields, ...deal, moves: texts, ...(end.isOver ? {payoffs: end.settle()} : {}), ...extra};
}

/** Return the text of a move whatever its case and the order of its cards. */
function alike(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean).sort().join(' ');
}

function readHand(game, rules, text) {
  if (typeof text !== 'string') throw new RangeError(`a hand is ${JSON.stringify(text)}: expected the cards of all hands`);
  return text.split(/\s+/).filter(Boolean).map((word) => {
    const [rank, suit] = [game.data.ranks.indexOf(word[0].toUpperCase()), rules.fields.suits.indexOf(word.slice(1).toLowerCase())];
    if (rank < 0 || suit < 0 || word.length !== 2) throw new RangeError(`${word} is no card: expected a rank and a suit, such as ${game.text(rules, 1)}`);
    return 4 * rank + suit;
  });
}

function readDeal({dealer, hands, word, ...orders}) {
  const given = Object.entries(ORDERS).filter(([name]) => orders[name] && !word);
  const filled = (cards, count) => [...cards, ...Array(count - cards.length).fill(-1)];
  const counts = {redeal_stock: MOST_STOCK, leftover: HAND_SIZE};
  return {dealer, hands, word: [word ? BigInt(`0x${word}`) : 0n], ...Object.fromEntries(given.map(([name, field]) => [field, filled(orders[name], counts[name])]))};
}

function writeDeal({dealer, hands, word}, end) {
  const dealt = hands.flatMap(cardsOf), stock = cardsOf(2 ** NUM_CARDS - 1).filter((card) => !dealt.includes(card));
  const orders = Object.entries(ORDERS).map(([name, field]) => [name, end[field].filter((card) => card >= 0)]);
  const chance = BigInt(word[0]) ? {word: BigInt(word[0]).toString(16).padStart(16, '0')} : {};
  return {dealer, hands: hands.map(cardsOf), stock, ...chance, ...Object.fromEntries(orders.filter(([, cards]) => cards.length))};
}

/** Throw RangeError unless hands, as card ids, have the sizes of a deal and share no card. */
function checkHands(game, rules, hands) {
  const any = game.deal(rules, 1n), sizes = (all) => all.map((hand) => hand.length).sort().join();
  const expected = sizes((any.hands ?? any).map(cardsOf));
  if (sizes(hands) !== expected) throw new RangeError(`the hands have ${sizes(hands)} cards: expected ${expected}`);
  if (new Set(hands.flat()).size < hands.flat().length) throw new RangeError('a card is in two hands');
}
