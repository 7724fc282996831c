/** Makes the calls, and prints what came of them and how many requests went through `fetch`. */
import { calls, type Places } from './calls.ts';

let fetched = 0;
const { fetch } = globalThis;
globalThis.fetch = (...args) => {
  fetched++;
  return fetch(...args);
};

const results = await calls(JSON.parse(process.argv[2] ?? '') as Places);
console.log(JSON.stringify({ results, fetched }));
