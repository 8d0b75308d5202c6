/** The tables of the page: answers its requests, and sends it updates of tables. All hands stay here. */

import { Archive } from './archive.js';
import { loadJson } from './data.js';
import { loadGames } from './games.js';
import { Lobby } from './lobby.js';
import { parsed } from './record.js';
import { Refused } from './refused.js';
import { Store } from './store.js';
import { Studies } from './study.js';

let begin;
const begun = new Promise((resolve) => { begin = resolve; });
const ends = new Map(); // functions that end listening, by the number of the request
const told = new Set(); // keys of sentences

/** Routes: a pattern of a path, and the function that answers. */
const ROUTES = [
  [/^options$/, ({ options }) => options],
  [/^rules$/, async ({ lobby }, { query }) => rules(lobby, query)],
  [/^tables$/, async ({ lobby }, { body }) => seated(lobby, await lobby.open(body))],
  [/^tables\/([\w-]+)\/view$/, async ({ lobby }, { id }) => view(lobby, await lobby.find(id))],
  [/^tables\/([\w-]+)\/next$/, async ({ lobby }, { id }) => seated(lobby, await lobby.next(await lobby.find(id)))],
  [/^tables\/([\w-]+)\/moves$/, async ({ lobby }, { id, body }) => move(lobby, await lobby.find(id), body)],
  [/^tables\/([\w-]+)\/takeback$/, async ({ lobby }, { id, body }) => takeBack(lobby, await lobby.find(id), body)],
  [/^tables\/([\w-]+)\/leave$/, async ({ lobby }, { id }) => leave(lobby, await lobby.find(id))],
  [/^tables\/([\w-]+)\/settings$/, async ({ lobby }, { id, body }) => settings(lobby, await lobby.find(id), body)],
  [/^tables\/([\w-]+)\/advice$/, async ({ lobby }, { id, query, onprogress }) => advice(lobby, await lobby.find(id), query, onprogress)],
  [/^tables\/([\w-]+)\/why$/, async ({ lobby }, { id, query }) => why(await lobby.find(id), query.get('move') ?? '')],
  [/^analyse$/, ({ studies }, { body, onprogress }) => studies.analyse(body, onprogress)],
  [/^result$/, ({ studies }, { query }) => studies.result(Object.fromEntries(query))],
  [/^score$/, ({ studies }) => studies.score()],
  [/^records$/, ({ archive }, { query, body }) => (body ? archive.keep(body.text) : archive.page(query.get('cursor')))],
  [/^records\/([\w-]+)$/, ({ archive }, { id }) => archive.own(id)],
  [/^puzzles$/, ({ studies }, { query }) => studies.puzzles(query.get('game'))],
  [/^puzzles\/([\w-]+)$/, ({ studies }, { id, body }) => (body ? studies.solve(id, body.move) : studies.puzzle(id))],
];

function view(lobby, table) {
  return table.view(lobby.delay);
}

function seated(lobby, table) {
  return { table: table.id, seat: table.you, view: view(lobby, table) };
}

function move(lobby, table, { ply, move: text }) {
  checkTurn(table, ply);
  if (!table.position.legal.includes(text)) throw new Refused(422, `${text} is not legal: legal are, for example, ${table.position.legal.slice(0, 5).join(', ')}`);
  lobby.play(table, text, true);
  return view(lobby, table);
}

function checkTurn({ position, isMine, isOver }, ply = position.ply) {
  if (ply !== position.ply) throw new Refused(409, `ply is ${ply}: the game is at ply ${position.ply}`);
  if (!isMine) throw new Refused(409, isOver ? 'the game is over' : 'another seat is to move');
}

function takeBack(lobby, table, { ply }) {
  checkPractice(table);
  if (table.isOver || ply !== table.position.ply || !table.takeBack()) throw new Refused(409, 'nothing to take back');
  lobby.changed(table);
  return view(lobby, table);
}

function checkPractice({ practice }) {
  if (!practice) throw new Refused(403, 'this table is strict: no advice, no take-backs');
}

function leave(lobby, table) {
  if (!table.isOver && table.you !== null) {
    table.leave();
    lobby.changed(table);
  }
  return view(lobby, table);
}

function settings(lobby, table, { press }) {
  table.press = press;
  lobby.changed(table);
  return view(lobby, table);
}

async function advice(lobby, table, query, onprogress) {
  checkPractice(table);
  checkTurn(table);
  const { played, position } = table;
  const found = await played.advise(position);
  if (table.position === position && !table.help.advice.includes(position.ply)) {
    table.help.advice.push(position.ply);
    lobby.changed(table);
  }
  return { ply: position.ply, agent: played.advisor, ...played.adviceJson(found), ...(await played.lookJson(position, query.get('deep') === '1', query.get('move'), onprogress)) };
}

function why({ position }, move) {
  return position.legal.includes(move) ? {} : position.refusal(move);
}

async function rules(lobby, query) {
  const played = await lobby.game(query.get('game') ?? undefined).informed();
  const text = query.get('rules') ?? played.defaultRules;
  return played.ruleFacts(text.startsWith('{') ? parsed(text) : text);
}

async function answer({ id: request, path, body }) {
  const [address, words = ''] = path.split('?');
  for (const [pattern, route] of ROUTES) {
    const found = pattern.exec(address);
    const onprogress = (progress) => postMessage({ id: request, progress });
    if (found) return route(await begun, { id: found[1], body, query: new URLSearchParams(words), onprogress });
  }
  throw new Refused(404, 'not found');
}

async function listen({ id, path }) {
  const { lobby } = await begun;
  const [, table] = /^tables\/([\w-]+)\/events$/.exec(path);
  const end = lobby.listen(await lobby.find(table), (event) => postMessage({ id, ...event }));
  if (ends.has(id)) end(); // it was closed meanwhile
  else ends.set(id, end);
}

/** Load everything, given what the tab remembers. */
async function start(kept) {
  const tell = (notice) => {
    if (!told.has(notice)) postMessage({ notice });
    told.add(notice);
  };
  const options = await loadJson('options');
  const store = new Store(kept, tell, (text) => postMessage({ kept: text }));
  const games = loadGames(options);
  await store.open();
  const archive = new Archive(games, store, tell);
  const lobby = new Lobby(games, store, archive, options.delay, tell);
  return { options, archive, lobby, studies: new Studies(games, archive, store, lobby) };
}

async function handle(message) {
  const { id } = message;
  try {
    if (message.listens) return await listen(message);
    return postMessage({ id, answer: await answer(message) });
  } catch (error) {
    if (!(error instanceof Refused)) console.error(error); // a fault of the page
    return message.listens ? postMessage({ id, lost: true }) : postMessage({ id, status: error.status ?? 500, error: error.message });
  }
}

onmessage = ({ data }) => {
  if ('kept' in data) begin(start(data.kept));
  else if (!data.closed) handle(data);
  else if (ends.has(data.id)) ends.get(data.id)();
  else ends.set(data.id, () => {});
};
