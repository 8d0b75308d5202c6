/** Form of a new game: rules, players, mode, and custom deals. */

import { api } from './api.js';
import { button, h } from './dom.js';
import { preference, prefer } from './preferences.js';
import { nameField } from './seating.js';
import { known, t } from './strings.js';

const PLACES = ['next', 'across', 'previous'];
const OPEN = 'open';
const OWN = 'own';

/** Show the form, and links to the other screens. */
export async function showNewGame(root) {
  const options = await api.options();
  root.replaceChildren(h('div', { class: 'home' }, form(options), shortcuts()));
  document.title = 'Big 2';
}

function form(options) {
  const kept = preference('game', {});
  const rules = choice('rules', [...options.rules.map(({ name, title }) => [name, title]), [OWN, t('new.own rules')]], kept.rules);
  const own = h('textarea', { name: 'own', rows: 9, spellcheck: 'false', 'aria-label': t('new.own rules label') });
  let nearest = options.rules[0];
  const ownField = h('div', { hidden: rules.value !== OWN }, own);
  const note = h('p', { class: 'quiet' });
  own.value = kept.own ?? '';
  const describe = () => {
    ownField.hidden = rules.value !== OWN;
    nearest = options.rules.find(({ name }) => name === rules.value) ?? nearest;
    if (rules.value === OWN && !own.value) own.value = JSON.stringify(nearest.fields, null, 1);
    note.textContent = known(`rules.${rules.value}`) ? t(`rules.${rules.value}`) : '';
  };
  rules.addEventListener('change', describe);
  describe();
  const agents = [...options.agents.map((name) => [name, name]), [OPEN, t('seat.open')]];
  const seats = PLACES.map((place, i) => choice(place, agents, kept.seats?.[i] ?? options.advisor));
  const deal = h('input', { name: 'deal', placeholder: '7/12', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off' });
  const place = choice('place', [0, 1, 2, 3].map((n) => [String(n), t('seat.number', { n: n + 1 })]), '0');
  const strict = h('input', { type: 'radio', name: 'mode', value: 'strict', checked: kept.practice === false });
  const practice = h('input', { type: 'radio', name: 'mode', value: 'practice', checked: kept.practice !== false });
  const name = nameField();
  const problem = h('p', { class: 'problem', role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      const chosen = { rules: rules.value, seats: seats.map((field) => field.value), practice: practice.checked };
      prefer('game', { ...chosen, own: own.value });
      prefer('name', name.value);
      const order = { ...chosen, rules: chosen.rules === OWN ? JSON.parse(own.value) : chosen.rules,
        seats: seated(chosen.seats, Number(place.value)), name: name.value.trim() || undefined, deal: deal.value.trim() || null };
      location.assign(`?table=${(await api.open(order)).table}`);
    } catch (error) {
      problem.textContent = error instanceof SyntaxError ? t('new.not json') : error.message;
    }
  };
  return h('form', { class: 'new-game panel', onsubmit: submit }, h('h2', {}, t('new.title')),
    h('div', { class: 'fields' }, h('div', { class: 'field' }, field('new.rules', rules), note), field('new.name', name)), ownField,
    h('fieldset', {}, h('legend', {}, t('new.seats')), h('div', { class: 'fields three' }, ...PLACES.map((one, i) => field(`seat.${one}`, seats[i])))),
    h('fieldset', { class: 'modes' }, h('legend', {}, t('new.mode')), mode(practice, 'practice'), mode(strict, 'strict')),
    h('details', { class: 'deal' }, h('summary', {}, t('new.deal')), h('p', { class: 'quiet' }, t('new.deal note')),
      h('div', { class: 'fields' }, field('new.deal label', deal), field('new.place', place))),
    h('div', { class: 'controls' }, button(t('new.start'), null, { type: 'submit', class: 'primary large' }), problem));
}

function choice(name, values, chosen) {
  return h('select', { name }, ...values.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
}

function field(key, control) {
  return h('label', { class: 'field' }, h('span', {}, t(key)), control);
}

function mode(control, name) {
  return h('label', { class: 'mode' }, control, h('span', {}, h('strong', {}, t(`new.${name}`)), h('span', { class: 'quiet' }, t(`new.${name} note`))));
}

/** Return the players in seats 0 to 3, given those after the user's seat. */
function seated(opponents, place) {
  const seats = Array(4).fill('me');
  opponents.forEach((name, i) => { seats[(place + 1 + i) % 4] = name; });
  return seats;
}

function shortcuts() {
  const shortcut = (address, name) => h('a', { class: 'shortcut panel', href: address }, h('strong', {}, t(`nav.${name}`)), h('span', { class: 'quiet' }, t(`shortcut.${name}`)));
  return h('nav', { class: 'shortcuts', 'aria-label': t('shortcut.label') },
    shortcut('?puzzle', 'puzzles'), shortcut('?analyse', 'analyse'), shortcut('?games', 'games'), shortcut('?score', 'score'));
}
