/** Strings of the page in the user's language, one JSON file each. */

import { preference, prefer } from './preferences.js';

export const LANGUAGES = { 'en': 'English', 'zh-Hant': '繁體中文', 'zh-Hans': '简体中文' };
const TRADITIONAL = /^zh-(hant|tw|hk|mo)\b/i;
const MINUS = '\u2212';

let strings = {};
let plurals = new Intl.PluralRules('en');
let list = new Intl.ListFormat('en');
export let language = 'en';

/** Load the strings of the chosen language, or of the browser's. */
export async function loadStrings() {
  language = preference('language', firstOf(navigator.languages));
  if (!(language in LANGUAGES)) language = 'en';
  strings = await (await fetch(`static/strings/${language}.json`)).json();
  plurals = new Intl.PluralRules(language);
  list = new Intl.ListFormat(language);
  document.documentElement.lang = language;
}

/** Store the chosen language. */
export function setLanguage(chosen) {
  prefer('language', chosen);
}

function firstOf(wanted) {
  for (const tag of wanted) {
    if (TRADITIONAL.test(tag)) return 'zh-Hant';
    if (/^zh\b/i.test(tag)) return 'zh-Hans';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}

/** Return a string with its values filled in; `n` selects the plural form. */
export function t(key, values = {}) {
  let text = strings[key];
  if (text === undefined) throw new Error(`no string ${key} in ${language}`);
  if (typeof text === 'object') text = text[plurals.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Whether a string exists. */
export function known(key) {
  return key in strings;
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

/** Format a probability as a percentage. */
export function percent(chance) {
  return `${Math.round(100 * chance)} %`;
}
