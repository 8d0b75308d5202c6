// Print the network's calibration, and its values of all legal moves, in games of its own moves but for every fifth; see test_networks.py.
import {readFileSync} from 'node:fs';

const {engine, game, agent, rules, seeds} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);
const {calibrationUnder, loadNetwork} = await import(`${engine}/network.js`);

const loaded = await loadGame(game);
const network = await loadNetwork(loaded, agent, rules);
const games = seeds.map((seed) => {
  let position = loaded.start(rules, loaded.deal(rules, BigInt(seed)));
  const turns = [];
  for (let moves = position.legalMoves(); moves.length; moves = position.legalMoves()) {
    const {probabilities, folded, chosen, value} = network.evaluate?.(position) ?? {};
    const values = [...probabilities ?? network.values(position)];
    const move = position.ply % 5 ? moves[values.indexOf(Math.max(...values))] : moves[(7 * position.ply) % moves.length];
    turns.push([move, values, value, folded, chosen]);
    position = position.play(move);
  }
  return turns;
});
console.log(JSON.stringify({games, calibration: calibrationUnder(loaded, network, rules)}));
