/** Cards and moves: drawings and names. A card is text such as 'Td', a move 'Tc Th' or 'pass'. */

import { h, svg } from './dom.js';
import { joined, t } from './strings.js';

export const RANKS = '3456789TJQKA2';
export const SUITS = 'dchs';
export const PASS = 'pass';
const SYMBOLS = { d: '♦', c: '♣', h: '♥', s: '♠' };
const TEXT_STYLE = '\ufe0e'; // prevents emoji on phones

/** Return the cards of a move or a hand. */
export function cardsOf(text) {
  return !text || text === PASS ? [] : text.split(' ');
}

/** Write a rank. */
export function rankText(rank) {
  return rank === 'T' ? '10' : rank;
}

/** Write a card with its symbol. */
export function cardText(card) {
  return rankText(card[0]) + SYMBOLS[card[1]] + TEXT_STYLE;
}

/** Name a card in words. */
export function spoken(card) {
  return t('card.name', { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });
}

/** Name the cards of a move one by one. */
export function spokenCards(text) {
  return text === PASS ? t('move.pass') : joined(cardsOf(text).map(spoken));
}

function suitIcon(suit) {
  return svg('svg', { class: 'suit', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('use', { href: `#suit-${suit}` }));
}

/** Draw the face of a card. */
export function face(card) {
  return h('span', { class: `face ${card[1]}` }, h('span', { class: 'rank' }, rankText(card[0])), suitIcon(card[1]));
}

/** Draw a card that is not a button, with its name. */
export function still(card) {
  return h('span', { class: 'still', role: 'img', 'aria-label': spoken(card) }, face(card));
}

/** Draw a small inline card. */
export function mini(card) {
  return h('span', { class: `mini ${card[1]}`, role: 'img', 'aria-label': spoken(card) }, rankText(card[0]), suitIcon(card[1]));
}

/** Draw an inline move. */
export function miniMove(text) {
  if (text === PASS) return h('span', { class: 'passed' }, t('move.pass'));
  return h('span', { class: 'minis' }, ...cardsOf(text).map(mini));
}

/** Name a move, given its kind, one of the engine's `KIND_NAMES`. */
export function moveName(text, kind, inWords = false) {
  const cards = cardsOf(text);
  if (!cards.length) return t('move.pass');
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

/** Sort a hand given in ascending order. */
export function sorted(cards, order) {
  const count = (card) => cards.filter((other) => other[0] === card[0]).length;
  if (order === 'suit') return [...cards].sort((a, b) => SUITS.indexOf(a[1]) - SUITS.indexOf(b[1]));
  if (order === 'groups') return [...cards].sort((a, b) => count(a) - count(b));
  return cards;
}

/** Parse typed cards: '10h th', 'tdtc', '3♦'. */
export function typed(entry) {
  const plain = entry.trim().toLowerCase().replace(/[♦♣♥♠]/g, (symbol) => 'dchs'['♦♣♥♠'.indexOf(symbol)]);
  if (['p', PASS].includes(plain)) return PASS;
  const compact = plain.replace(/[\ufe0e\ufe0f\s,]/g, '').replaceAll('10', 't');
  return (compact.match(/.{1,2}/g) ?? []).map((card) => card[0].toUpperCase() + card.slice(1)).join(' ');
}
