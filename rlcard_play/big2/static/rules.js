/** Rules of Big 2 in pictures and sentences. */

import { cardsOf, cardText } from '../cards.js';
import { h } from '../dom.js';
import { row, section, sentences } from '../rules.js';
import { joined, signed, t } from '../strings.js';
import { RANKS } from './game.js';

const SHOWN = '2'; // rank of the cards that show the order of suits

/** Return the sections of the page. */
export function sections(facts) {
  return [course(facts), ranking(facts), combinations(facts), facts.straights.length && straights(facts), payment(facts)].filter(Boolean);
}

function course({ fields, kinds }) {
  const [lowest] = kinds[0].ends.map(cardText);
  const has = (...words) => words.includes(fields.instant_wins);
  const { players, hand_size: cards, ranks, leftover } = fields;
  const left = 4 * ranks - players * cards;
  const first = left > 0 && leftover === 'out' ? t('rule.lowest in play') : lowest;
  return section(t('rules.aim'), ...sentences(t('rule.aim', { players, cards }), left > 0 && t(`field.${`leftover ${leftover}`}`), t(`field.${`opening ${fields.opening}`}`, { card: first }),
    fields.leads !== 'lowest' && t('field.leads winner'), t('rule.turns'),
    fields.bombs && t('field.bombs'), !fields.mixed_kinds && t('rule.same kind'), t(fields.final_pass ? 'field.final_pass' : 'rule.pass again'), t('rule.lead'),
    fields.last_card !== 'free' && t(`field.${`last_card ${fields.last_card}`}`), fields.no_lone_two && t('field.no_lone_two'),
    fields.places && t('field.places'),
    has('dragon', 'both') && t('field.instant_wins dragon'), has('twos', 'both') && t('field.instant_wins twos')));
}

function ranking({ fields: { suits, ranks } }) {
  const lowest = suits[0];
  return section(t('rules.ranking'), ...sentences(t('rule.ranks')), row([...RANKS].slice(-ranks).map((rank) => rank + lowest)),
    ...sentences(t('rule.suits')), row([...suits].map((suit) => SHOWN + suit)));
}

function combinations(facts) {
  const ends = (texts) => h('p', { class: 'ends' }, row(inOrder(texts[0], facts.straights)), h('span', {}, t('rule.to')), row(inOrder(texts[1], facts.straights)));
  const kind = ({ kind: name, ends: texts, beats }) => {
    const others = beats.filter((other) => other !== name);
    return h('div', { class: 'kind' }, h('h4', {}, t(`kind.${name}`)), ends(texts),
      h('p', {}, compared(name, facts), others.length ? ` ${t('rule.beats', { kinds: joined(others.map((other) => t(`kind.${other}`).toLowerCase())) })}` : ''));
  };
  return section(t('rule.combinations'), ...sentences(t('rule.weakest')), h('div', { class: 'kinds' }, ...facts.kinds.map(kind)));
}

/** Order the cards of a straight as its ranks follow each other, and those of other kinds by how many share a rank. */
function inOrder(text, runs) {
  const cards = cardsOf(text);
  const run = runs.find((one) => cards.length === one.length && [...one].every((rank) => cards.some((card) => card[0] === rank)));
  const count = (card) => cards.filter((other) => other[0] === card[0]).length;
  return run ? [...run].map((rank) => cards.find((card) => card[0] === rank)) : cards.sort((a, b) => count(b) - count(a));
}

/** Say what decides between two of a kind. */
function compared(name, { fields, straights: runs }) {
  if (name === 'flushes') return t(`field.${`flush_order ${fields.flush_order}`}`);
  if (name !== 'straights' && name !== 'straight flushes') return t(`compare.${name}`);
  const wraps = runs.includes('A2345') || runs.includes('23456');
  const order = t(`compare.${wraps ? `straights by ${fields.low_twos ? 'end' : 'two'}` : 'straights'}`);
  return name === 'straight flushes' && fields.royal_flush ? `${order} ${t('field.royal_flush')}` : order;
}

function straights({ straights: runs, fields }) {
  return section(t('rule.straights'), h('ol', { class: 'runs' }, ...runs.map((run) => h('li', {}, row([...run].map((rank) => rank + fields.suits[0]))))));
}

function payment({ fields, costs }) {
  const { players } = fields;
  if (fields.places) return section(t('rules.payment'), ...sentences(t('pay.places', { payoffs: joined(Array.from({ length: players }, (_, i) => signed(players - 1 - 2 * i))) })));
  const thresholds = fields.penalty_thresholds.map((n, i) => t('pay.threshold', { n, factor: i + 2 }));
  return section(t('rules.payment'), ...sentences(t(`field.${`settlement ${fields.settlement}`}`), fields.settlement === 'pairs' && fields.last_card === 'pays' && t('pay.for all'), t(fields.face_values ? 'field.face_values' : 'pay.each'), ...thresholds,
    fields.unplayed_twos && t(fields.twos_once ? 'field.twos_once' : 'field.unplayed_twos'),
    fields.unplayed_bombs && t(fields.separate_bonuses ? 'pay.bombs apart' : 'field.unplayed_bombs'),
    fields.final_play && t(fields.separate_bonuses ? 'pay.last apart' : 'field.final_play'), fields.added_factors && t('field.added_factors'),
    costs.length && t(fields.final_play ? 'pay.costs before' : 'pay.costs')),
  h('ul', { class: 'costs' }, ...costs.map(([hand, cost]) => h('li', {}, row(hand), h('strong', {}, String(cost))))));
}
