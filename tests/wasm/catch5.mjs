// Print the moves of searches at each turn of a hand with a choice, and deep looks at some plies; see test_networks.py.
import {readFileSync} from 'node:fs';

const {engine, rules, deal, moves, plies, stream, streams} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);
const {loadNetwork} = await import(`${engine}/network.js`);
const {look, search} = await import(`${engine}/catch5.js`);

const game = await loadGame('catch5');
const network = await loadNetwork(game, 'catch5-ppo', rules);
let position = game.start(rules, {...deal, word: BigInt(deal.word)});
const chosen = [], looks = [];
for (const text of moves) {
  const legal = position.legalMoves();
  if (legal.length > 1) {
    const {move, candidates} = search(network, position, {worlds: 32, stream: BigInt(stream)});
    chosen.push([position.ply, position.text(move), candidates.map((one) => one.outcomes)]);
  }
  if (plies.includes(position.ply)) {
    let last = 0;
    const onprogress = (share) => { last = share >= last ? share : NaN; };
    const found = look(network, position, legal, {deals: 40, streams: streams.map(BigInt), onprogress});
    looks.push([found.map((one) => ({...one, move: position.text(one.move)})), last]);
  }
  position = position.play(legal.find((move) => position.text(move) === text));
}
console.log(JSON.stringify({chosen, looks}));
