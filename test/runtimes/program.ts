/** Runs the calls, and prints their results and the number of requests made with `fetch`. */
import { calls, type Addresses } from './client-calls.ts';

let fetched = 0;
const { fetch } = globalThis;
globalThis.fetch = (...args) => {
  fetched++;
  return fetch(...args);
};

const results = await calls(JSON.parse(process.argv[2] ?? '') as Addresses);
console.log(JSON.stringify({ results, fetched }));
