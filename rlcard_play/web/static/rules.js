/** Rules of a game: pictures and sentences from the facts that the server sends. */

import { api } from './api.js';
import { cardsOf, mini } from './cards.js';
import { h } from './dom.js';
import { game, loadModule, useGame } from './game.js';
import { rulesName, t } from './strings.js';

/** Show rules, a preset's name or JSON, of a game; without them, those of the current game. */
export async function showRules(root, text, key) {
  if (key) await useGame(key);
  const [facts, options] = await Promise.all([api.rules(game.key, text || game.rules), api.options()]);
  const { sections } = await loadModule(`./${game.key}/rules.js`);
  const presets = options.games.find((one) => one.game === game.key).rules;
  root.replaceChildren(h('article', { class: 'page rules' }, h('h2', {}, t('rules.title', { name: rulesName(facts.title) })),
    h('nav', { class: 'presets', 'aria-label': t('rules.of') }, ...presets.map(({ name }) =>
      h('a', { class: 'button small', href: rulesAddress(name), 'aria-current': name === facts.rules ? 'page' : null }, rulesName(name)))),
    ...sections(facts)));
}

/** Return the address of the page of rules, a preset's name or fields. */
export function rulesAddress(rules) {
  return `?${new URLSearchParams({ rules: typeof rules === 'string' ? rules : JSON.stringify(rules), game: game.key })}`;
}

/** Return the name of the rules of a view, a link to them. */
export function rulesLink({ rules, title }) {
  return h('a', { href: rulesAddress(rules), target: '_blank', title: t('nav.rules') }, rulesName(title));
}

/** Draw a section; absent parts are omitted. */
export function section(title, ...parts) {
  return h('section', { class: 'panel' }, h('h3', {}, title), ...parts);
}

/** Draw sentences as paragraphs; absent ones are omitted. */
export function sentences(...texts) {
  return texts.filter(Boolean).map((text) => h('p', {}, text));
}

/** Draw cards in a row. */
export function row(cards) {
  return h('span', { class: 'minis shown' }, ...(typeof cards === 'string' ? cardsOf(cards) : cards).map(mini));
}
