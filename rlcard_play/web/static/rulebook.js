/** Rules in words: their name, what differs from a preset, and a form of one's own. */

import { h } from './dom.js';
import { game } from './game.js';
import { joined, known, presetName, t } from './strings.js';

export const OWN = 'own'; // in place of a preset's name
const SEAT = /^\d$/; // that leads a session's next game, in place of 'winner'

let options = {}; // of new tables, by game

/** Take the options of new tables: presets, and the choices of their fields. */
export function useOptions({ games }) {
  options = Object.fromEntries(games.map((one) => [one.game, one]));
}

/** Return the name of rules, a preset's name or fields: fields have that of the nearest preset, and a word if they differ. */
export function rulesName(rules, key = game.key) {
  if (typeof rules === 'string') return presetName(rules, key);
  const { name, changed } = nearest(rules, key);
  return changed.length ? t('rules.changed', { name: presetName(name, key) }) : presetName(name, key);
}

/** Return what differs in rules from the nearest preset, as sentences. */
export function changesOf(rules) {
  return typeof rules === 'string' ? [] : nearest(rules, game.key).changed.map((name) => inWords(name, rules[name]));
}

function nearest(rules, key) {
  const leads = SEAT.test(rules.leads) ? { leads: 'winner' } : {};
  const differing = (fields) => Object.keys(fields).filter((name) => JSON.stringify(fields[name]) !== JSON.stringify({ ...rules, ...leads }[name]));
  const found = options[key].rules.map(({ name, fields }) => ({ name, changed: differing(fields) }));
  return found.reduce((best, one) => (one.changed.length < best.changed.length ? one : best));
}

function inWords(name, value) {
  if (typeof value === 'boolean') return value ? label(name) : t('rules.not', { rule: label(name) });
  return `${label(name)}: ${typeof value === 'string' ? wordOf(name, SEAT.test(value) ? 'winner' : value) : [value].flat().join(', ') || t('rules.no number')}`;
}

function label(name) {
  return t(`field.${name}`);
}

function wordOf(name, value) {
  const word = `${name} ${value}`;
  return game.written?.(name, value) ?? t(`field.${word}`);
}

/** Return the refusal of rules in words, which names the fields that contradict each other. */
export function refusedRules(message, fields) {
  const names = [...message.matchAll(/\b(players|\w+(?==))/g)].map(([name]) => name).filter((name) => Object.hasOwn(fields, name));
  return names.length ? t('rules.contradiction', { rules: joined([...new Set(names)].map((name) => t('rules.quoted', { rule: label(name) }))) }) : message;
}

/**
 * Return switches, lists and numbers for all fields, and a function that draws them again.
 *
 * @param json a text area that has the fields as JSON
 */
export function rulesForm(json) {
  const element = h('div', { class: 'own-rules' });
  let fields = {};
  const set = (name, value) => {
    fields = { ...fields, [name]: value };
    json.value = JSON.stringify(fields, null, 1);
    json.dispatchEvent(new Event('changed'));
  };
  const draw = (given) => {
    fields = given;
    const drawn = Object.entries(fields).filter(([name]) => known(`field.${name}`)).map(([name, value]) => control(name, value, (chosen) => set(name, chosen)));
    element.replaceChildren(h('div', { class: 'fields' }, ...drawn.filter((one) => !one.matches('.check'))), ...drawn.filter((one) => one.matches('.check')));
  };
  return { element, draw };
}

function control(name, value, set) {
  const choices = options[game.key].choices[name];
  const listen = (read) => ({ name: `own.${name}`, onchange: ({ target }) => target.reportValidity() && set(read(target)) });
  if (typeof value === 'boolean') return h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: value, ...listen((input) => input.checked) }), label(name));
  const numbers = (text) => text.split(/\D+/).filter(Boolean).map(Number);
  let field = h('input', { value: [value].flat().join(', '), inputmode: 'numeric', ...listen((input) => numbers(input.value)) });
  if (typeof value === 'number') field = h('input', { type: 'number', required: true, value, min: choices[0], max: choices[1], ...listen((input) => Number(input.value)) });
  if (typeof value === 'string') {
    field = h('select', listen((input) => input.value), ...choices.filter((word) => !SEAT.test(word)).map((word) => h('option', { value: word, selected: word === value }, wordOf(name, word))));
  }
  return h('label', { class: 'field' }, h('span', {}, label(name)), field);
}
