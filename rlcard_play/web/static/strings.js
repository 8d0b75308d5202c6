/** Strings of the page in the user's language, one JSON file each. */

import { preference } from './preferences.js';

export const LANGUAGES = { 'en': 'English', 'zh-HK': '繁體中文（香港）', 'zh-Hant': '繁體中文（台灣）', 'zh-Hans': '简体中文' };
const HONG_KONG = /^(yue|zh(-hant)?-(hk|mo))\b/i;
const TRADITIONAL = /^zh-(hant|tw)\b/i;
const NAMED_ELSEWHERE = { 'zh-HK': ['zh-Hant', '大老二', '鋤大D'] }; // whose strings are another's, but for the game's name
const MINUS = '\u2212';

const SHARED = '';
let current = SHARED; // key of the game whose strings come first
let strings = {}; // by game
let plurals = new Intl.PluralRules('en');
let list = new Intl.ListFormat('en');
let language = 'en';
let finish;

/** Fulfilled once the strings are loaded. */
export const loaded = new Promise((resolve) => { finish = resolve; });

/** Load the strings of the chosen language, or of the browser's: those that all games share, and each game's own. */
export async function loadStrings(games) {
  language = preference('language', firstOf(navigator.languages));
  if (!Object.hasOwn(LANGUAGES, language)) language = 'en';
  const [tag, name = '', ownName] = NAMED_ELSEWHERE[language] ?? [language];
  const load = async (key) => [key, JSON.parse((await (await fetch(new URL(`./${key && `${key}/`}strings/${tag}.json`, import.meta.url))).text()).replaceAll(name || '\0', ownName))];
  strings = Object.fromEntries(await Promise.all([SHARED, ...games].map(load)));
  plurals = new Intl.PluralRules(language);
  list = new Intl.ListFormat(language);
  document.documentElement.lang = language;
  finish();
}

/** Let the strings of a game come first. */
export function useStrings(game) {
  current = game;
}

function firstOf(wanted) {
  for (const tag of wanted) {
    if (HONG_KONG.test(tag)) return 'zh-HK';
    if (TRADITIONAL.test(tag)) return 'zh-Hant';
    if (/^zh\b/i.test(tag)) return 'zh-Hans';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}

/** Return a string with its values filled in; `n` selects the plural form. */
export function t(key, values = {}) {
  let text = find(key);
  if (text === undefined) throw new Error(`no string ${key} in ${language}`);
  if (typeof text === 'object') text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function find(key, game = current) {
  return strings[game]?.[key] ?? strings[SHARED]?.[key];
}

/** Whether a string exists. */
export function known(key) {
  return find(key) !== undefined;
}

/** Return the name of a game. */
export function gameName(game) {
  return find('game.title', game);
}

/** Return the name of a preset of a game. */
export function presetName(name, game = current) {
  return find(`preset.${name}`, game) ?? name;
}

/** Return the name of an agent of a game, in people's words. */
export function agentName(agent, game = current) {
  return find(`named.${agent}`, game) ?? agent;
}

/** Translate the static elements of the page. */
export function translate(root) {
  for (const element of root.querySelectorAll('[data-t]')) element.textContent = t(element.dataset.t);
}

/** Join words into a list of the language. */
export function joined(words) {
  return list.format(words);
}

/** Format a number with its sign. */
export function signed(number, digits = 0) {
  const text = Math.abs(number).toFixed(digits);
  return (Number(text) === 0 ? '' : number < 0 ? MINUS : '+') + text;
}

/** Write a mean and its margin, if that is known. */
export function interval(mean, margin) {
  return typeof margin === 'number' ? `${signed(mean, 1)} ± ${margin.toFixed(1)}` : signed(mean, 1);
}

/** Format a probability as a percentage. */
export function percent(chance) {
  return `${Math.round(100 * chance)} %`;
}
