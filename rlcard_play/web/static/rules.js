/** Rules of a game: pictures and sentences from the facts that the server sends. */

import { api } from './api.js';
import { cardsOf, mini } from './cards.js';
import { button, h } from './dom.js';
import { game, loadModule, useGame } from './game.js';
import { preference, prefer } from './preferences.js';
import { changesOf, OWN, rulesName } from './rulebook.js';
import { t } from './strings.js';

/** Show rules, a preset's name or JSON, of a game; without them, those of the current game. */
export async function showRules(root, text, key) {
  if (key) await useGame(key);
  const [facts, options] = await Promise.all([api.rules(game.key, text || game.rules), api.options()]);
  const { sections } = await loadModule(`./${game.key}/rules.js`);
  const presets = options.games.find((one) => one.game === game.key).rules;
  root.replaceChildren(h('article', { class: 'page rules' }, h('h2', {}, t('rules.title', { name: rulesName(facts.rules) })),
    h('nav', { class: 'presets', 'aria-label': t('rules.of') }, ...presets.map(({ name }) =>
      h('a', { class: 'button small', href: rulesAddress(name), 'aria-current': name === facts.rules ? 'page' : null }, rulesName(name)))),
    h('div', { class: 'controls' }, button(t('rules.play'), () => choose(facts))), changes(facts.rules), ...sections(facts)));
}

/** List what differs from the nearest preset, if anything does. */
function changes(rules) {
  const found = changesOf(rules);
  return found.length ? section(t('rules.differ'), ...sentences(...found)) : null;
}

/** Go to the first screen with rules that are chosen, and kept if they are of one's own. */
function choose({ rules, fields }) {
  const own = typeof rules === 'string' ? {} : { own: JSON.stringify(fields, null, 1) };
  prefer(`new.${game.key}`, { ...preference(`new.${game.key}`, {}), rules: own.own ? OWN : rules, ...own });
  prefer('chosen', game.key);
  location.assign('.');
}

/** Return the address of the page of rules, a preset's name or fields. */
export function rulesAddress(rules) {
  return `?${new URLSearchParams({ rules: typeof rules === 'string' ? rules : JSON.stringify(rules), game: game.key })}`;
}

/** Return the name of the rules of a view, a link to them, and what differs from a preset. */
export function rulesLink({ rules }) {
  const changed = changesOf(rules).join(' ');
  return [h('a', { href: rulesAddress(rules), target: '_blank', title: changed || t('nav.rules') }, rulesName(rules)), changed && h('span', { class: 'quiet changes', title: changed }, changed)];
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
