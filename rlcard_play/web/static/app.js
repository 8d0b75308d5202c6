/** The page: its frame, and the screen selected by the address. */

import { showAnalyse } from './analyse.js';
import { api } from './api.js';
import { showDay } from './day.js';
import { h } from './dom.js';
import { showEight } from './eight.js';
import { loadModule, useGame } from './game.js';
import { showGames } from './games.js';
import { showHelp, useTheme } from './help.js';
import { showNewGame } from './newgame.js';
import { preference, prefer } from './preferences.js';
import { showProgress } from './progress.js';
import { showPuzzle } from './puzzles.js';
import { showReplay } from './replay.js';
import { showRetry } from './retry.js';
import { useOptions } from './rulebook.js';
import { showRules } from './rules.js';
import { LANGUAGES, loadStrings, t, translate } from './strings.js';
import { showTable } from './table.js';
import { isAlone } from './transport.js';

/** Screens by the parameter that selects them. */
const SCREENS = {
  table: (root, words) => showTable(root, words.get('table'), number(words, 'seat')),
  record: (root, words) => showReplay(root, words.get('record'), number(words, 'ply')),
  try: (root, words) => showRetry(root, words.get('try'), number(words, 'ply')),
  puzzle: (root, words) => showPuzzle(root, words.get('puzzle')),
  rules: (root, words) => showRules(root, words.get('rules'), words.get('game')),
  day: (root, words) => showDay(root, words.get('day')),
  eight: showEight,
  analyse: showAnalyse,
  games: showGames,
  progress: showProgress,
  splits: async (root) => (await loadModule('./big2/trainer.js')).showTrainer(root),
};

function number(words, name) {
  const text = words.get(name);
  return text !== null && /^\d{1,3}$/.test(text) ? Number(text) : null;
}

function frame() {
  translate(document);
  const menu = document.getElementById('menu');
  const opener = document.getElementById('menu-button');
  const open = (isOpen) => {
    opener.setAttribute('aria-expanded', String(isOpen));
    menu.classList.toggle('open', isOpen);
  };
  opener.addEventListener('click', () => open(!menu.classList.contains('open')));
  document.addEventListener('click', (event) => event.target.closest('.top') || open(false));
  document.getElementById('help-button').addEventListener('click', showHelp);
  document.addEventListener('keydown', (event) => {
    if (event.key === '?' && !event.target.closest('input, textarea, select') && !document.querySelector('dialog[open]')) showHelp();
    if (event.key === 'Escape') open(false);
  });
  const choice = document.getElementById('language');
  choice.append(...Object.entries(LANGUAGES).map(([tag, name]) => h('option', { value: tag, lang: tag, selected: tag === document.documentElement.lang }, name)));
  choice.addEventListener('change', () => {
    prefer('language', choice.value);
    location.reload();
  });
}

async function start() {
  useTheme();
  const options = await api.options();
  useOptions(options);
  const keys = options.games.map((one) => one.game);
  await loadStrings(keys);
  const asked = location.hash.slice(1);
  if (keys.includes(asked)) prefer('chosen', asked);
  const chosen = preference('chosen', keys[0]);
  await useGame(keys.includes(chosen) ? chosen : keys[0]);
  frame();
  const words = new URLSearchParams(location.search);
  const name = Object.keys(SCREENS).find((screen) => words.has(screen));
  try {
    await (name ? SCREENS[name](root, words) : showNewGame(root, options));
  } catch (error) {
    root.replaceChildren(h('div', { class: 'page' }, h('h2', {}, t('error.title')), h('p', { role: 'alert' }, error.message), h('p', {}, h('a', { class: 'button', href: '.' }, t('nav.new')))));
  }
}

const root = document.getElementById('main');
start().catch((error) => { // without strings
  console.error(error);
  root.firstElementChild.classList.remove('unloaded');
  if (error.status && !isAlone) root.firstElementChild.append(h('p', {}, error.message)); // of the server
});
