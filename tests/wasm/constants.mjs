// Print what modules of constants export; see test_constants.py.
import {readFileSync} from 'node:fs';

const {engine, files} = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(await Promise.all(files.map((file) => import(`${engine}/${file}`)))));
