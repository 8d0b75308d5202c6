// Print the deep look at moves, as text, after other moves; see test_networks.py.
import {readFileSync} from 'node:fs';

const {engine, rules, hands, before, moves, deals, streams} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);
const {loadNetwork} = await import(`${engine}/network.js`);
const {look} = await import(`${engine}/look.js`);

const game = await loadGame('big2');
const network = await loadNetwork(game, 'big2-dmc', rules);
let position = game.start(rules, hands);
const named = (text) => position.legalMoves().find((move) => position.text(move) === text);
for (const text of before) position = position.play(named(text));
const found = look(network, position, moves.map(named), deals, streams.map(BigInt));
console.log(JSON.stringify(found.map((one) => ({...one, move: position.text(one.move)}))));
