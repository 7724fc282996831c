/** `npm run bench -- [--quick] [names…]`: runs the named benches, or all of them. See README.md beside this file. */
import { parseArgs } from 'node:util';
import { client } from './client.ts';
import { engine } from './engine.ts';
import { guards } from './guards.ts';
import type { Bench } from './harness/bench.ts';
import { httpBench } from './harness/http-report.ts';
import { machineFacts, writeResult } from './harness/result-file.ts';
import { plainHttpBenches } from './http-benches.ts';
import { idle } from './idle.ts';
import { imports } from './imports.ts';
import { list } from './list.ts';
import { postgres } from './postgres.ts';
import { startup } from './startup.ts';
import { store } from './store.ts';
import { wire } from './wire.ts';

const benches: readonly Bench[] = [
  wire,
  store,
  engine,
  imports,
  startup,
  ...plainHttpBenches.map(httpBench),
  guards,
  list,
  idle,
  client,
  postgres,
];

function pick(names: readonly string[]): readonly Bench[] {
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    const known = benches.map(({ name }) => name).join(', ');
    console.error(`no bench named ${unknown.join(', ')}; there are ${known}`);
    process.exit(1);
  }
  return names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));
}

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const picked = pick(positionals);
const { node, cpu, cores } = machineFacts();
console.log(`Node ${node}, ${cores} × ${cpu}`);
for (const bench of picked) {
  const started = new Date();
  const { title, table, result } = await bench.run(values);
  console.log(`\n${title}\n\n${table}\n`);
  console.log(`all rounds: ${await writeResult(bench.name, started, result)}`);
}
