// Value the legal moves of eight games of Big 2 with an exported network in Node; see values.py, which writes the inputs.
//
//     npm install onnxruntime-node
//     node examples/onnx/values.mjs big2.onnx positions.json
//
// In a browser the same lines run with onnxruntime-web.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { InferenceSession, Tensor } = createRequire(`${process.cwd()}/`)('onnxruntime-node'); // of the current folder
const [file, copy] = process.argv.slice(2);
const session = await InferenceSession.create(file);
const arrays = JSON.parse(readFileSync(copy, 'utf8'));
const tensor = ({ type, dims, data }) =>
  new Tensor(type, type === 'int64' ? BigInt64Array.from(data, BigInt) : Float32Array.from(data), dims);
const inputs = Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, tensor(array)]));
const values = (await session.run(inputs)).values.data;
const owners = arrays.owners.data;
for (let game = 0; game < arrays.observations.dims[0]; game++) {
  const first = owners.indexOf(game);
  const own = values.slice(first, owners.lastIndexOf(game) + 1);
  const best = own.indexOf(Math.max(...own));
  console.log(`game ${game}: move ${best} of ${own.length}, ${own[best].toFixed(4)}`);
}
