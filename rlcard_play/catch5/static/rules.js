/** Rules of Catch Five in pictures and sentences. */

import { cardsOf, mini, rankText } from '../cards.js';
import { h } from '../dom.js';
import { section, sentences } from '../rules.js';
import { t } from '../strings.js';

/** Return the sections of the page. */
export function sections(facts) {
  const { fields, worth, trump, target } = facts;
  const valued = Object.entries(worth).reverse().map(([rank, n]) =>
    h('li', {}, mini(rank + trump), n ? h('strong', {}, h('span', { class: 'unseen' }, t('rule.worth', { rank: rankText(rank), n })), h('span', { 'aria-hidden': 'true' }, String(n))) : null));
  return [
    section(t('rules.aim'), ...sentences(t('rule.aim')), h('ul', { class: 'worth' }, ...valued), ...sentences(t('rule.order'))),
    section(t('rule.auction'), ...sentences(t('rule.bids', { n: fields.least_bid }), t(`field.${`bidding ${fields.bidding}`}`))),
    section(t('rule.refilling'), ...sentences(t('rule.refill'), t(`field.${`dealer_served ${fields.dealer_served}`}`), t(`field.${`excess ${fields.excess}`}`))),
    section(t('rule.tricks'), ...sentences(t(`field.${`following ${fields.following}`}`), t(`field.${`judging ${fields.judging}`}`), t('rule.example')),
      h('ul', { class: 'examples' }, ...facts.tricks.map(example))),
    section(t('rules.payment'), ...sentences(t('rule.made'), t('rule.set'), fields.nine_doubled && t('field.nine_doubled'), t(`field.${`low ${fields.low}`}`),
      t('rule.target', { n: target }), t(fields.bidder_first ? 'field.bidder_first' : 'rule.more points'))),
  ];
}

function example([text, winner]) {
  return h('li', {}, ...cardsOf(text).map((card, i) => (i === winner ? h('span', { class: 'winning' }, mini(card)) : mini(card))));
}
