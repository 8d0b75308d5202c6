/** Cards and moves: drawings and names. A card is text such as 'Td', a move 'Tc Th', 'bid 4' or 'pass'. */

import { h, svg } from './dom.js';
import { game } from './game.js';
import { joined, t } from './strings.js';

export const PASS = 'pass';
const CARD = /^[2-9TJQKA][dchs]$/;
const SYMBOLS = { d: '♦', c: '♣', h: '♥', s: '♠' };
const TEXT_STYLE = '\ufe0e'; // prevents emoji on phones

/** Return the cards of a move or a hand. */
export function cardsOf(text) {
  return text ? text.split(' ').filter((word) => CARD.test(word)) : [];
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
  const cards = cardsOf(text);
  return cards.length ? joined(cards.map(spoken)) : choiceName(text);
}

/** Draw a suit. */
export function suitIcon(suit) {
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
  if (!cardsOf(text).length) return h('span', { class: 'called' }, game.choice(text));
  return h('span', { class: 'minis' }, ...cardsOf(text).map(mini));
}

/** Name a move, given its kind. */
export function moveName(text, kind, inWords = false) {
  return cardsOf(text).length ? game.moveName(text, kind, inWords) : choiceName(text);
}

/** Name a move without cards. */
function choiceName(text) {
  return text === PASS ? t('move.pass') : game.choiceName(text);
}

/** Parse typed cards or a pass: '10h th', 'tdtc', '3♦', 'p'. */
export function typedCards(entry) {
  const plain = entry.trim().toLowerCase().replace(/[♦♣♥♠]/g, (symbol) => 'dchs'['♦♣♥♠'.indexOf(symbol)]);
  if (['p', PASS].includes(plain)) return PASS;
  const compact = plain.replace(/[\ufe0e\ufe0f\s,]/g, '').replaceAll('10', 't');
  return (compact.match(/.{1,2}/g) ?? []).map((card) => card[0].toUpperCase() + card.slice(1)).join(' ');
}
