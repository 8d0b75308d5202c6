/** Catch Five on the page: bids, trumps, tricks, results, and values. */

import { cardsOf, cardText, miniMove, mini, moveName as nameOf, spoken, spokenCards, suitIcon, typedCards } from '../cards.js';
import { h } from '../dom.js';
import { callName, waitingFor } from '../people.js';
import { interval, percent, signed, t } from '../strings.js';
import { endOfTrick, trickCards, tricksTable } from './tricks.js';

const RANKS = '23456789TJQKA';
const BY_COLOUR = 'cdsh'; // black and red in turn

/** Sort a hand: trumps first, or high ranks first. */
function sorted(cards, order, trump) {
  const rank = (card) => -RANKS.indexOf(card[0]);
  const suit = (card) => (card[1] === trump ? -1 : BY_COLOUR.indexOf(card[1]));
  const byRank = (a, b) => rank(a) - rank(b);
  return [...cards].sort(order === 'rank' ? byRank : (a, b) => suit(a) - suit(b) || byRank(a, b));
}

/** Return the parts of a move without cards: its verb, and the bid or the suit. */
function parts(text) {
  const [verb, what] = text.split(' ');
  return { isBid: verb === 'bid', what: what.toLowerCase() };
}

/** Draw a bid, or a suit. */
function choice(text) {
  const { isBid, what } = parts(text);
  return isBid ? t('move.bid', { n: what }) : [suitIcon(what), ' ', t(`suit.${what}`)];
}

/** Draw the label of a button that makes such a move. */
function call(text) {
  const { isBid, what } = parts(text);
  return isBid ? what : h('span', { class: `suit-call ${what}` }, suitIcon(what), ' ', t(`suit.${what}`));
}

function choiceName(text) {
  const { isBid, what } = parts(text);
  return isBid ? t('move.bid', { n: what }) : t('move.trump', { suit: t(`suit.${what}`) });
}

/** Return the move that an entry means: '4', 'p', 'h' or '5h'. */
function typed(entry, isCall) {
  const plain = entry.trim().toLowerCase();
  if (isCall && /^\d$/.test(plain)) return `bid ${plain}`;
  if (isCall && /^[cdhs]$/.test(plain)) return `trump ${plain.toUpperCase()}`;
  return typedCards(entry);
}

/** Return the names of both teams, the viewer's first, and a function that orders their numbers likewise. */
function teams(view) {
  if (view.you === null || view.you === undefined) return { names: [t('team.first'), t('team.second')], order: (both) => both };
  return { names: [t('team.us'), t('team.them')], order: (both) => (view.you % 2 ? [both[1], both[0]] : both) };
}

/** Write a number; a negative one with a minus sign. */
function plain(n) {
  return n < 0 ? signed(n) : String(n);
}

function both(view, numbers) {
  const { names, order } = teams(view);
  const colon = names[0] === t('team.us') ? '' : ':';
  return order(numbers).map((n, i) => `${names[i]}${colon} ${plain(n)}`).join(' · ');
}

/** Draw trumps, the bid, the points, and the match. */
function facts(view) {
  const { trump, bidder, match } = view;
  const fact = (key, ...content) => h('div', { class: 'fact' }, h('dt', {}, t(`fact.${key}`)), h('dd', {}, ...content));
  return h('dl', { class: 'facts' },
    trump && fact('trump', h('span', { class: `mini ${trump}` }, suitIcon(trump)), ' ', t(`suit.${trump}`)),
    bidder !== null && fact('bid', `${view.bids[bidder]} · ${callName(view, bidder)}`),
    trump && fact('points', both(view, view.points)),
    match && fact('match', `${both(view, view.over?.match_totals ?? match.totals)} / ${match.target}`));
}

/** Draw the auction, or the trick. */
function middle(view) {
  if (!view.trump) return h('div', { class: 'to-beat free' }, h('p', {}, auction(view)));
  return h('div', { class: 'trick-area' }, tricksTable(view), !view.over && h('p', { class: 'caption' }, caption(view)), refill(view), lastTrick(view));
}

function auction(view) {
  const mover = view.to_move;
  if (mover === null || view.seats[mover].open) return waitingFor(view);
  const isTrump = view.log.length === 4;
  if (mover !== view.you) return t(isTrump ? 'board.names' : 'board.bids', { name: callName(view, mover) });
  return t(isTrump ? 'board.you name' : view.legal.includes('pass') ? 'board.you bid' : 'board.you must bid');
}

function caption(view) {
  const ended = trickCards(view).length ? '' : endOfTrick(view);
  return [ended, turn(view) || (view.to_move === null ? '' : t('replay.to move', { name: callName(view, view.to_move) }))].filter(Boolean).join(' ');
}

/** Draw the own cards of the refill, until the first trick is over. */
function refill(view) {
  if (!view.refill || view.winners.length) return null;
  const cards = (text) => h('span', { class: 'minis' }, ...cardsOf(text).map(mini));
  return h('p', { class: 'refill' }, t('board.discarded'), ' ', cards(view.refill.discarded), ' ', t('board.drew'), ' ', cards(view.refill.drawn));
}

function lastTrick(view) {
  if (!view.winners.length || !trickCards(view).length) return null;
  const from = view.tricks[view.winners.length];
  return h('p', { class: 'last-trick' }, t('board.last trick'), ' ',
    h('span', { class: 'minis' }, ...view.log.slice(from, from + 4).map(([, card]) => mini(card))), ' ', endOfTrick(view));
}

/** Draw the bid of a seat in the auction, and later the number of trumps that it kept. */
function last(view, seat) {
  if (view.trump) return h('span', { class: 'kept' }, t('seat.kept', { n: view.kept[seat] }));
  return view.last[seat] && miniMove(view.last[seat]);
}

/** Mark the dealer, and the seat that won the auction. */
function mark(view, seat) {
  const badge = (key, text) => h('span', { class: 'badge', title: t(key) }, h('span', { 'aria-hidden': 'true' }, text), h('span', { class: 'unseen' }, t(key)));
  return [seat === view.dealer && badge('seat.dealer', t('seat.dealer mark')), view.trump && seat === view.bidder && badge('seat.bidder', String(view.bids[seat]))];
}

/** Tell of the refill, of the end of a trick, and whose turn it is. */
function news(before, view) {
  const isNamed = before && !before.trump && view.trump && view.refill;
  const isWon = before && view.winners.length > before.winners.length;
  return [
    isNamed && `${t('board.drew')} ${spokenCards(view.refill.drawn) || t('board.nothing')}.`,
    isWon && endOfTrick(view),
    view.over ? headline(view) : turn(view),
  ];
}

function turn(view) {
  if (view.over || view.to_move !== view.you || view.you === null || view.you === undefined) return '';
  if (view.log.length < 4) return t('say.your bid');
  if (!view.trump) return t('board.you name');
  return t(trickCards(view).length ? 'say.your turn' : 'say.you lead');
}

function summary(view) {
  const cards = trickCards(view).map(([seat, card]) => t('say.played', { name: callName(view, seat), move: spoken(card) }));
  const called = view.trump ? t('say.trump', { suit: t(`suit.${view.trump}`), points: both(view, view.points) }) : auction(view);
  return [called, ...cards].join(' ');
}

function headline(view) {
  const { over, bidder } = view;
  const { names, order } = teams(view);
  const team = view.you === null ? names[bidder % 2] : t(bidder % 2 === view.you % 2 ? 'end.us' : 'end.them');
  const hand = t(over.made ? 'end.made' : 'end.set', { name: callName(view, bidder), bid: over.bid, team, points: view.points[bidder % 2] });
  if (over.match_winner === null) return hand;
  const place = order([0, 1]).indexOf(over.match_winner);
  return `${view.you === null ? t('end.match', { team: names[place] }) : t(place ? 'end.match lost' : 'end.match won')} ${hand}`;
}

/** Draw the results of both teams: points, scores, and the match. */
function results(view) {
  const { over, match } = view;
  const { names, order } = teams(view);
  const [points, scores, totals] = [view.points, over.scores, over.match_totals].map(order);
  const players = (i) => [0, 2].map((step) => ((view.you ?? 0) + i + step) % 4).map((seat) => callName(view, seat)).join(', ');
  const row = (name, i) => h('tr', { class: order([0, 1])[i] === over.match_winner ? 'winner' : null },
    h('th', { scope: 'row' }, name, h('span', { class: 'player' }, players(i))),
    ...[plain(points[i]), signed(scores[i]), plain(totals[i])].map((text) => h('td', { class: 'number' }, text)));
  return h('table', { class: 'results teams' },
    h('thead', {}, h('tr', {}, ...['team', 'points', 'score', 'match total'].map((key) => h('th', { scope: 'col' }, t(`end.${key}`, { n: match.target }))))),
    h('tbody', {}, ...names.map(row)));
}

function shares(one, best) {
  return { share: percent(one), best: percent(best) };
}

function verdict(one, best) {
  if (one.behind !== undefined) return one.grade === 'worse' ? t('puzzle.loses', { move: nameOf(best.move, null, true), points: one.behind.toFixed(1) }) : t('advice.equal');
  if (one.grade === 'best') return t('try.best');
  return t(one.grade === 'good' ? 'try.good' : 'try.worse', { move: nameOf(best.move, null, true), ...shares(one.share ?? 0, best.share ?? 0) });
}

/** Return the values of a move: the share that a bar shows, two texts, and words. */
function figures(one) {
  const points = one.mean ?? one.points;
  if (points === null) return { bar: one.share, main: percent(one.share), more: '', words: percent(one.share) };
  const [main, more] = interval(points, one.margin).split(/ (?=±)/);
  return { bar: Math.min(Math.max((points + 9) / 18, 0), 1), main, more: more ?? '', words: interval(points, one.margin) };
}

/** Return what else a deep analysis tells of a move. */
function detail(one) {
  return typeof one.made === 'number' ? t('advice.made', { share: percent(one.made) }) : '';
}

function note(advice) {
  if (advice.deep) return t('advice.deep note', { n: advice.deep.deals });
  return t(advice.points < 0 ? 'advice.behind' : 'advice.ahead', { points: Math.abs(advice.points).toFixed(1) });
}

export default {
  key: 'catch5',
  ranks: RANKS,
  suits: 'cdhs',
  places: ['you', 'next', 'partner', 'previous'],
  levels: { easy: 'rule,epsilon=0.12', medium: 'rule', hard: 'catch5-ppo,epsilon=0.05', expert: 'search:catch5-ppo,worlds=128' },
  rules: 'paper',
  orders: ['suit', 'rank'],
  example: '5h',
  isSingle: true,
  hasPass: (view) => view.log.length < 4,
  sorted,
  typed,
  moveName: (text, kind, inWords) => (inWords ? spoken(text) : cardText(text)),
  choice,
  choiceName,
  call,
  facts,
  middle,
  last,
  mark,
  ended: (view) => view.winners.length + 1, // the auction is the first
  trickName: (i) => (i ? String(i) : ''),
  played: (view, seat, move) => t('say.played', { name: callName(view, seat), move: nameOf(move, null, true) }),
  news,
  summary,
  seenTitle: (view) => t('seen.title', { n: view.log.flatMap(([, move]) => cardsOf(move)).length }),
  headline,
  results,
  payoff: (payoffs, seat) => payoffs[seat] - payoffs[(seat + 1) % 4],
  next: (view) => t(view.over.match_winner === null ? 'end.next deal' : 'end.new match'),
  cost: (one) => t('end.odd', { move: nameOf(one.best, null, true), ...shares(one.share, one.best_share) }),
  verdict,
  figures,
  detail,
  note,
  lost: () => '',
  graph: { low: -12, high: 12, ticks: [-9, 0, 9], tick: (value) => signed(value), before: (one) => Math.min(Math.max(one.points, -12), 12), after: (one) => Math.min(Math.max(one.points, -12), 12) },
};
