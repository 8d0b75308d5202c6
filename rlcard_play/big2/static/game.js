/** Big 2 on the page: the combination to beat, names of moves, results, and values. */

import { cardsOf, cardText, mini, miniMove, moveName as nameOf, PASS, rankText, spoken, still, typedCards } from '../cards.js';
import { h } from '../dom.js';
import { callName, inOrder, roleName, waitingFor } from '../people.js';
import { interval, percent, signed, t } from '../strings.js';
import { Splits } from './splits.js';

export const RANKS = '3456789TJQKA2';
const RUNS = `A2${RANKS}`; // in which the five of a straight are neighbours
const SUITS = 'dchs';

/** Sort a hand given in ascending order. */
function sorted(cards, order) {
  const count = (card) => cards.filter((other) => other[0] === card[0]).length;
  if (order === 'suit') return [...cards].sort((a, b) => SUITS.indexOf(a[1]) - SUITS.indexOf(b[1]));
  if (order === 'groups') return [...cards].sort((a, b) => count(a) - count(b));
  return cards;
}

/** Name a move with cards, given its kind, one of the engine's `KIND_NAMES`. */
function moveName(text, kind, inWords) {
  const cards = cardsOf(text);
  const top = cards[cards.length - 1];
  const [most, ...rest] = groups(cards);
  const kicker = rest.length ? rankText(rest[0]) : '';
  const single = inWords ? spoken(top) : cardText(top);
  return t(`move.${kind}`, { card: single, rank: rankText(most), other: kicker, run: run(cards), suit: t(`suit.${top[1]}`), high: rankText(top[0]) });
}

/** Return the ranks of cards, most frequent first. */
function groups(cards) {
  const ranks = [...new Set(cards.map((card) => card[0]))];
  const count = (rank) => cards.filter((card) => card[0] === rank).length;
  return ranks.sort((a, b) => count(b) - count(a) || RANKS.indexOf(b) - RANKS.indexOf(a));
}

function run(cards) {
  const ranks = cards.map((card) => RANKS.indexOf(card[0]));
  const neighbours = ranks.every((rank, i) => i === 0 || rank === ranks[i - 1] + 1);
  const [first, last] = [cards[0], cards[cards.length - 1]].map((card) => rankText(card[0]));
  return neighbours ? `${first}–${last}` : cards.map((card) => rankText(card[0])).join(' ');
}

/** Draw what a seat has played in the trick: its cards, or a pass. */
function pile(view, seat) {
  const trick = view.won ? lastMoves(view) : view.last;
  const move = trick[seat];
  if (!move || move === PASS) return move && miniMove(move);
  const isBest = seat === (view.won ? winnerOf(view) : view.table_hand.by);
  return h('div', { class: `laid${isBest ? ' best' : ''}` }, ...cardsOf(move).map(still));
}

/** Return the last move of each seat in a trick that was won, by seat, without passes of players who could not lead. */
function lastMoves(view) {
  const last = view.log.findLastIndex(([, move]) => move !== PASS);
  return Object.fromEntries(view.log.slice(view.tricks.at(-1), last + view.seats.length));
}

function winnerOf(view) {
  return view.log.findLast(([, move]) => move !== PASS)[0];
}

/** Draw the combination to beat, or the player who leads. */
function middle(view) {
  if (view.won) return h('div', { class: 'to-beat free' }, h('p', {}, t('board.won', { name: callName(view, winnerOf(view)) })), lastTrick(view));
  const table = view.table_hand;
  if (!table?.cards) return h('div', { class: 'to-beat free' }, h('p', {}, leads(view)), lastTrick(view));
  const by = h('p', {}, h('strong', {}, t(view.over ? 'board.last' : 'board.beat', { move: nameOf(table.cards, table.kind), by: callName(view, table.by) })),
    table.passes && !view.over ? ` ${t('board.passes', { n: table.passes })}` : '');
  return h('div', { class: 'to-beat' }, by, h('div', { class: 'stills' }, ...cardsOf(table.cards).map(still)), view.over ? null : lastTrick(view));
}

/** Draw what was played in the trick before this one. */
function lastTrick(view) {
  const begun = view.table_hand?.cards ? view.tricks.length - 2 : view.tricks.length - 1;
  if (begun < 0) return null;
  const moves = view.log.slice(view.tricks[begun], view.tricks[begun + 1]).filter(([, move]) => move !== PASS);
  return h('p', { class: 'last-trick' }, t('board.last trick'), ...moves.map(([seat, move]) => h('span', {}, callName(view, seat), ' ', miniMove(move))));
}

function leads(view) {
  if (view.to_move === null || view.seats[view.to_move].open) return waitingFor(view);
  if (view.to_move !== view.you) return t('board.leads', { name: callName(view, view.to_move) });
  if (view.legal[0] === PASS) return t('say.only pass');
  const [first, ...rest] = view.legal.map(cardsOf);
  const needed = first.find((card) => rest.every((cards) => cards.includes(card)));
  return needed ? t('board.you open', { card: nameOf(needed, 'singles') }) : t('board.you lead');
}

/** Show the place of a player who is out while others play on. */
function mark(view, seat) {
  if (!view.rules.places || view.left[seat]) return null;
  const last = (one) => view.log.findLastIndex(([mover, move]) => mover === one && move !== PASS);
  const n = view.left.filter((left, other) => !left && last(other) <= last(seat)).length;
  return h('span', { class: 'mark' }, t('seat.place', { n }));
}

/** Describe a move. */
function played(view, seat, move) {
  const table = view.table_hand;
  const kind = table && table.by === seat && table.cards === move ? table.kind : null;
  return t('say.played', { name: callName(view, seat), move: move === PASS ? t('move.pass') : moveWords(move, kind) });
}

function moveWords(move, kind) {
  return kind ? nameOf(move, kind, true) : cardsOf(move).length === 1 ? nameOf(move, 'singles', true) : t('say.cards', { n: cardsOf(move).length });
}

/** Warn of players with one card, and tell whose turn it is. */
function news(before, view) {
  const lonely = view.left.flatMap((left, seat) => (left === 1 && before?.left[seat] > 1 && seat !== view.you ? [seat] : []));
  return [...lonely.map((seat) => t('say.one card', { name: callName(view, seat) })), turn(view)];
}

function turn(view) {
  if (view.over) return t('say.wins', { name: callName(view, view.over.winner) });
  if (view.to_move !== view.you || view.you === null || !view.left[view.you]) return '';
  if (view.legal.length === 1 && view.legal[0] === PASS) return t('say.only pass');
  return view.table_hand?.cards ? t('say.your turn') : t('say.you lead');
}

/** Describe the table in words. */
function summary(view) {
  const table = view.table_hand;
  return table?.cards ? t('board.beat', { move: nameOf(table.cards, table.kind, true), by: callName(view, table.by) }) : '';
}

/** Count the others' played cards, and all their cards. */
function seenTitle(view) {
  const others = view.log.filter(([seat]) => seat !== view.you).flatMap(([, move]) => cardsOf(move)).length;
  const out = view.left.reduce((sum, left, seat) => sum + (seat === view.you ? 0 : left), 0);
  return t('seen.title', { n: others, all: others + out });
}

function headline(view) {
  const { over, you } = view;
  const session = sessionWinner(view);
  if (session) return session;
  if (you === over.winner) return t('end.won', { payoff: signed(over.payoffs[you]) });
  const name = callName(view, over.winner);
  if (you === null) return t('end.wins', { name, payoff: signed(over.payoffs[over.winner]) });
  return t('end.lost', { name, payoff: signed(over.payoffs[you]) });
}

/** Tell who has won a session that is over. */
function sessionWinner(view) {
  const { totals, ended } = view.over.session;
  const best = totals.indexOf(Math.max(...totals));
  return ended ? t('end.session', { name: callName(view, best), total: signed(totals[best]) }) : '';
}

/** Draw the results: cards left, payoffs and totals. */
function results(view) {
  const columns = ['seat', 'hand', 'payoff', ...(view.over.session.deals > 1 ? ['total'] : [])];
  return h('table', { class: 'results' },
    h('thead', {}, h('tr', {}, ...columns.map((key) => h('th', { scope: 'col' }, t(`end.${key}`))))),
    h('tbody', {}, ...inOrder(view).map((seat) => result(view, seat))));
}

function result(view, seat) {
  const { over } = view;
  const gone = new Set(view.log.filter(([mover]) => mover === seat).flatMap(([, move]) => cardsOf(move)));
  const left = cardsOf(over.hands[seat]).filter((card) => !gone.has(card));
  return h('tr', { class: seat === over.winner ? 'winner' : null },
    h('th', { scope: 'row' }, callName(view, seat), h('span', { class: 'player' }, roleName(view, seat))),
    h('td', {}, left.length ? h('span', { class: 'minis' }, ...left.map(mini)) : t('end.out')),
    h('td', { class: 'number' }, signed(over.payoffs[seat])),
    over.session.deals > 1 ? h('td', { class: 'number' }, signed(over.session.totals[seat])) : null);
}

/** Describe the cost of a choice after the end. */
function cost(one) {
  if (typeof one.behind === 'number') return t('end.lost cards', { cards: interval(one.behind, one.behind_margin).slice(1) });
  return one.cards === null ? t('end.worse') : t('end.gave away', { cards: (one.best_cards - one.cards).toFixed(1), win: percent(one.lost) });
}

/** Compare a move with the best one, in words. */
function verdict(one, best, view) {
  if (one.grade === 'best' || one.grade === 'certain') return t('try.best');
  if (one.grade === 'good') return t('try.good');
  const name = nameOf(best.move, best.kind ?? view.kinds[view.legal.indexOf(best.move)], true);
  const text = one.lost === null ? t('try.worse', { best: name }) : t('try.lost', { best: name, win: percent(one.lost) });
  return text[0].toUpperCase() + text.slice(1);
}

/** Return the values of a move: the share that a bar shows, two texts, and words; null if they are not calibrated. */
function figures(one) {
  const [win, cards] = [percent(one.win), one.behind === undefined ? signed(one.cards, 1) : interval(one.mean, one.margin)];
  return one.win === null ? null : { bar: one.win, main: win, more: cards, words: t('advice.words', { win, cards }) };
}

function note(advice) {
  if (advice.deep) return t('advice.deep note', { n: advice.deep.deals });
  return t(advice.calibrated ? 'advice.note' : 'advice.not calibrated');
}

/** Write a word of a field of the rules that is not a string of its own: suits from the lowest, straights from the highest. */
function written(name, value) {
  if (name === 'opening') return t(`field.${`opening ${value}`}`, { card: t('rule.lowest in play') });
  if (name === 'suits') return [...value].map((suit) => cardText(`2${suit}`).slice(1)).join(' ');
  if (name !== 'straights') return null;
  const run = (first) => [...RUNS.slice(RUNS.indexOf(first)).slice(0, 5)].map(rankText).join('');
  return [...value].reverse().map(run).join(' > ');
}

export default {
  key: 'big2',
  ranks: RANKS,
  suits: SUITS,
  places: ['you', 'next', 'across', 'previous'],
  levels: { easy: 'rule,epsilon=0.15', medium: 'rule,epsilon=0.02', hard: 'big2-dmc,epsilon=0.06', expert: 'search:big2-dmc,worlds=96' },
  rules: 'hong-kong',
  orders: ['rank', 'suit', 'groups'],
  example: '10h 10s',
  /** Whether a move has one card at most. */
  isSingle: false,
  hasPass: () => true,
  sorted,
  typed: typedCards,
  moveName,
  written,
  facts: () => null,
  middle,
  last: (view, seat) => view.last[seat] && miniMove(view.last[seat]),
  mark,
  pile,
  /** Return the number of tricks that are over. */
  ended: (view) => view.tricks.length - (view.table_hand?.cards ? 1 : 0),
  trickName: (i) => String(i + 1),
  played,
  news,
  summary,
  seenTitle,
  headline,
  results,
  aid: () => new Splits(),
  study: 'splits',
  payoff: (payoffs, seat) => payoffs[seat],
  hasSessions: true,
  next: (view) => t(view.over.session.ended ? 'end.new session' : 'end.next deal'),
  cost,
  verdict,
  figures,
  detail: () => '',
  note,
  lost: (one) => (one.lost === null ? '' : ` ${t('advice.lost', { win: percent(one.lost) })}`),
  graph: { low: 0, high: 1, ticks: [0, 0.5, 1], tick: (value) => `${100 * value} %`, before: (one) => one.best_win, after: (one) => one.win },
};
