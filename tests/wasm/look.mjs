// Print the deep look at moves, as text, after other moves, and the move of a search; see test_networks.py.
import {readFileSync} from 'node:fs';

const {engine, rules, hands, before, moves, deals, streams, worlds} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);
const {loadPlayers} = await import(`${engine}/rollouts.js`);
const {look} = await import(`${engine}/look.js`);
const {search} = await import(`${engine}/search.js`);

const game = await loadGame('big2');
const players = await loadPlayers(game, rules);
let position = game.start(rules, hands);
const named = (text) => position.legalMoves().find((move) => position.text(move) === text);
for (const text of before) position = position.play(named(text));
const shares = [];
const found = look(players, position, moves.map(named), {deals, streams: streams.map(BigInt), onprogress: (share) => shares.push(share)});
const {move, candidates} = search(players, position, {worlds, stream: BigInt(streams[0])});
console.log(JSON.stringify({
  shares,
  moves: found.map((one) => ({...one, move: position.text(one.move)})),
  chosen: position.text(move),
  estimates: Object.fromEntries(candidates.map((one) => [position.text(one.move), one.mean])),
  worlds: Object.fromEntries(candidates.map((one) => [position.text(one.move), one.outcomes.length])),
}));
