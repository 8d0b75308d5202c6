/** Form of a new game: the game and a level; and under More rules, players, mode, and custom deals. */

import { api } from './api.js';
import { dayCard } from './day.js';
import { button, h } from './dom.js';
import { game, useGame } from './game.js';
import { placesOf } from './people.js';
import { preference, prefer } from './preferences.js';
import { nameField } from './seating.js';
import { changesOf, OWN, refusedRules, rulesForm, rulesName } from './rulebook.js';
import { agentName, gameName, known, t } from './strings.js';
import { isAlone } from './transport.js';
import { codeForm } from './waiting.js';

const OPEN = 'open';
const LEVEL = 'level';
const CLOCKS = [0, 15, 30, 60];
const SESSIONS = ['', 'deals 5', 'deals 10', 'deals 20', 'points 50', 'points 100'];

/** Show the form of the current game, and links to the other screens. */
export function showNewGame(root, options) {
  const choose = async (key) => {
    prefer('chosen', key);
    await useGame(key);
    showNewGame(root, options);
    root.querySelector('.game-choice :checked').focus();
  };
  const own = options.games.find((one) => one.game === game.key);
  root.replaceChildren(h('div', { class: 'home' }, options.preparing && h('p', { class: 'quiet' }, t('new.preparing')), dayCard(), form(own, gameChoice(options.games, choose)), isAlone ? '' : codeForm(), shortcuts()));
}

function gameChoice(games, choose) {
  if (games.length < 2) return null;
  const radio = (key) => h('input', { type: 'radio', name: 'game', value: key, checked: key === game.key, onchange: () => choose(key) });
  return h('fieldset', { class: 'game-choice' }, h('legend', { class: 'unseen' }, t('new.game')),
    ...games.map(({ game: key }) => h('label', { class: 'mode' }, radio(key), h('strong', {}, gameName(key)))));
}

function form(options, games) {
  const kept = preference(`new.${game.key}`, {});
  const levels = Object.keys(game.levels).filter((name) => options.agents.includes(game.levels[name])).map((name) => h('input', { type: 'radio', name: 'level', value: name, checked: name === (kept.level ?? 'medium') }));
  const rules = choice('rules', [...options.rules.map(({ name }) => [name, rulesName(name)]), [OWN, t('new.own rules')]], kept.rules ?? game.rules);
  const own = h('textarea', { name: 'own', rows: 9, spellcheck: 'false', 'aria-label': t('new.own rules label') });
  let nearest = options.rules.find((one) => one.name === (kept.rules ?? game.rules)) ?? options.rules[0];
  const switches = rulesForm(own);
  const ownField = h('fieldset', { hidden: rules.value !== OWN }, h('legend', {}, t('new.own rules')), switches.element, h('details', {}, h('summary', {}, t('new.advanced')), own));
  const change = button(t('new.change rules'), () => {
    own.value = '';
    rules.value = OWN;
    describe();
  }, { class: 'small' });
  const note = h('p', { class: 'quiet' });
  own.value = fieldsOf(kept.own, nearest.fields) === nearest.fields ? '' : kept.own;
  const agents = [[LEVEL, t('new.by level')], ...options.agents.map((name) => [name, agentName(name)]), ...(isAlone ? [] : [[OPEN, t('seat.open')]])];
  const seats = game.places.slice(1).map((place, i) => choice(place, agents, kept.seats?.[i] ?? LEVEL));
  const seatFields = h('div', { class: 'fields three' });
  const deal = h('input', { name: 'deal', placeholder: '7/12', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off' });
  const place = h('select', { name: 'place' });
  let others = [];
  const strict = h('input', { type: 'radio', name: 'mode', value: 'strict', checked: kept.practice === false });
  const practice = h('input', { type: 'radio', name: 'mode', value: 'practice', checked: kept.practice !== false });
  const clock = choice('clock', CLOCKS.map((n) => [String(n), n ? t('new.seconds', { n }) : t('new.no clock')]), kept.clock ?? '0');
  const session = choice('session', SESSIONS.map((one) => [one, sessionName(one)]), kept.session ?? '');
  const name = nameField();
  const summary = h('p', { class: 'quiet' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const describe = (redraws = true) => {
    ownField.hidden = rules.value !== OWN;
    nearest = options.rules.find((one) => one.name === rules.value) ?? nearest;
    if (rules.value === OWN && !own.value) own.value = JSON.stringify(nearest.fields, null, 1);
    change.hidden = rules.value === OWN;
    const fields = rules.value === OWN ? fieldsOf(own.value, nearest.fields) : null;
    if (fields && redraws) switches.draw(fields);
    for (const one of levels) one.disabled = rules.value !== OWN && !nearest.agents.includes(game.levels[one.value]);
    if (levels.some((one) => one.checked && one.disabled)) levels.findLast((one) => !one.disabled).checked = true;
    others = placesOf(fields ? fields.players ?? 4 : nearest.seats).slice(1);
    seatFields.replaceChildren(...others.map((one, i) => field(`seat.${one}`, seats[i])));
    place.replaceChildren(...['you', ...others].map((_, n) => h('option', { value: n }, t('seat.number', { n: n + 1 }))));
    note.textContent = fields ? changesOf(fields).join(' ') : known(`rules.${rules.value}`) ? t(`rules.${rules.value}`) : '';
    summary.textContent = [fields ? rulesName(fields) : rules.selectedOptions[0].textContent, t(practice.checked ? 'new.practice note' : 'new.strict note')].join(' · ');
  };
  for (const control of [rules, strict, practice]) control.addEventListener('change', () => describe());
  own.addEventListener('input', () => describe());
  own.addEventListener('changed', () => describe(false));
  for (const one of seats) one.addEventListener('change', () => {
    if (one.value === OPEN) strict.checked = true; // people play without help unless they choose it
    describe();
  });
  describe();
  const submit = async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      const level = levels.find((one) => one.checked).value;
      const chosen = { rules: rules.value, seats: seats.map((one) => one.value), practice: practice.checked };
      prefer('chosen', game.key);
      prefer(`new.${game.key}`, { ...chosen, level, own: own.value, clock: clock.value, session: session.value });
      const [until, n] = session.value.split(' ');
      const terms = { wait: true, clock: Number(clock.value), ...(until ? { [until]: Number(n) } : {}) };
      prefer('name', name.value);
      const players = chosen.seats.slice(0, others.length).map((one) => (one === LEVEL ? game.levels[level] : one));
      const hasFriend = event.submitter?.value === OPEN;
      if (hasFriend) players[Math.floor((players.length - 1) / 2)] = OPEN;
      const order = { game: game.key, ...chosen, practice: hasFriend ? Boolean(deal.value.trim()) : practice.checked, rules: chosen.rules === OWN ? JSON.parse(own.value) : chosen.rules,
        seats: seated(players, Number(place.value)), name: name.value.trim() || undefined, deal: deal.value.trim() || null, ...terms };
      location.assign(`?table=${(await api.open(order)).table}`);
    } catch (error) {
      problem.textContent = error instanceof SyntaxError ? t('new.not json') : rules.value === OWN ? refusedRules(error.message, nearest.fields) : error.message;
    }
  };
  const more = kept.seats?.some((one) => one !== LEVEL) || rules.value === OWN || strict.checked;
  return h('form', { class: 'new-game panel', onsubmit: submit }, games, h('h2', {}, t('new.title')),
    h('fieldset', { class: 'modes levels' }, h('legend', {}, t('new.level')), ...levels.map((one) => mode(one, `level.${one.value}`))),
    h('div', { class: 'controls' }, button(t('new.start'), null, { type: 'submit', class: 'primary large' }), !isAlone && button(t('new.friend'), null, { type: 'submit', value: OPEN, class: 'large' }), summary, problem, isAlone && h('p', { class: 'quiet' }, t('new.alone'))),
    h('details', { class: 'more', open: more }, h('summary', {}, t('new.more')),
      h('div', { class: 'fields' }, h('div', { class: 'field' }, field('new.rules', rules), change, note), field('new.name', name)), ownField,
      h('fieldset', {}, h('legend', {}, t('new.seats')), seatFields),
      h('div', { class: 'fields' }, field('new.clock', clock), game.hasSessions && field('new.session', session)),
      h('fieldset', { class: 'modes' }, h('legend', {}, t('new.mode')), mode(practice, 'new.practice'), mode(strict, 'new.strict')),
      h('fieldset', {}, h('legend', {}, t('new.deal')), h('p', { class: 'quiet' }, t('new.deal note')),
        h('div', { class: 'fields' }, field('new.deal label', deal), field('new.place', place)))));
}

function sessionName(session) {
  const [until, n] = session.split(' ');
  return until ? t(`new.${until}`, { n }) : t('new.no end');
}

function choice(name, values, chosen) {
  return h('select', { name }, ...values.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
}

function field(key, control) {
  return h('label', { class: 'field' }, h('span', {}, t(key)), control);
}

function mode(control, key) {
  return h('label', { class: 'mode' }, control, h('span', {}, h('strong', {}, t(key)), h('span', { class: 'quiet' }, t(`${key} note`))));
}

/** Return the players by seat, given those after the user's seat. */
function seated(opponents, place) {
  const first = opponents.length - place;
  return [...opponents.slice(first), 'me', ...opponents.slice(0, first)];
}

/** Return the fields of rules as JSON; others if they are none. */
function fieldsOf(text, others) {
  try {
    const found = JSON.parse(text);
    return Object.keys(others).every((name) => typeof found[name] === typeof others[name]) ? found : others;
  } catch {
    return others;
  }
}

function shortcuts() {
  const shortcut = (address, name) => h('a', { class: 'shortcut panel', href: address }, h('strong', {}, t(`nav.${name}`)), h('span', { class: 'quiet' }, t(`shortcut.${name}`)));
  return h('nav', { class: 'shortcuts', 'aria-label': t('shortcut.label') },
    shortcut('?eight', 'eight'), shortcut('?puzzle', 'puzzles'), shortcut('?analyse', 'analyse'), shortcut('?games', 'games'), shortcut('?progress', 'progress'), game.study && shortcut(`?${game.study}`, game.study));
}
