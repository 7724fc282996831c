import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Bench } from './harness/bench.ts';
import { goalTable } from './harness/goals.ts';
import { rotated } from './harness/http-rounds.ts';
import { BENCH_FOLDER, buildProduct, installPeers, ROOT } from './harness/product.ts';
import { type Spread, spread } from './harness/stats.ts';
import { showSpread, table } from './harness/table.ts';

/** An import of a program, and where the package is installed. */
interface Entry {
  readonly names: readonly string[];
  readonly from: URL;
  /** In milliseconds. */
  readonly atMost?: number;
}

interface Imported {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** An empty file, to measure the cost of the first import of any module. */
const EMPTY: Entry = { names: ['./harness/empty.mjs'], from: BENCH_FOLDER };

const ENTRIES: readonly Entry[] = [
  EMPTY,
  { names: ['tandem-a2a'], from: ROOT, atMost: 15 },
  { names: ['tandem-a2a/server'], from: ROOT, atMost: 25 },
  { names: ['tandem-a2a/node'], from: ROOT, atMost: 25 },
  { names: ['@a2a-js/sdk/client'], from: BENCH_FOLDER },
  { names: ['@a2a-js/sdk/server'], from: BENCH_FOLDER },
  { names: ['@a2a-js/sdk/server', '@a2a-js/sdk/server/express', 'express'], from: BENCH_FOLDER },
];

/** The cost of an import in a new process, beyond the start of Node itself. */
export const imports: Bench = {
  name: 'import',
  async run({ quick }) {
    buildProduct();
    installPeers();
    const rounds = quick ? 5 : 15;
    const measured = ENTRIES.map((entry) => ({ entry, took: [] as Imported[] }));
    // The first round fills the caches of the file system.
    for (let round = -1; round < rounds; round += 1) {
      for (const { entry, took } of rotated(measured, round + 1)) {
        const one = importOnce(entry);
        if (round >= 0) took.push(one);
      }
    }
    const baseline = measured[0]?.took ?? [];
    const rows = measured.map(({ entry: { names, atMost }, took }) => ({
      name: names.join(' + '),
      atMost,
      wallMs: spread(took.map(({ wallMs }) => wallMs)),
      cpuMs: spread(took.map(({ cpuMs }) => cpuMs)),
      overMs: spread(took.map(({ wallMs }, round) => wallMs - (baseline[round]?.wallMs ?? 0))),
    }));
    const goals = rows.flatMap(({ name, overMs, atMost }) =>
      atMost === undefined ? [] : [{ name, measured: overMs, unit: 'ms', atMost }],
    );
    return {
      title: `import: in a new process each time (${rounds} rounds)`,
      table: [rowTable(rows), goalTable(goals)].join('\n\n'),
      result: { rows, goals },
    };
  },
};

interface Row {
  readonly name: string;
  readonly wallMs: Spread;
  readonly cpuMs: Spread;
  readonly overMs: Spread;
}

function rowTable(rows: readonly Row[]): string {
  return table(
    ['import', 'ms', 'CPU ms', 'ms over an empty file'],
    rows.map(({ name, wallMs, cpuMs, overMs }) => [name, showSpread(wallMs), showSpread(cpuMs), showSpread(overMs)]),
  );
}

/** By the names that users import. A package can import itself by its own name. */
function importOnce({ names, from }: Entry): Imported {
  const script = `
    const cpu = process.cpuUsage();
    const start = performance.now();
    ${names.map((name) => `await import('${name}');`).join(' ')}
    const wallMs = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }));
    process.exit();
  `;
  const args = ['--input-type=module', '-e', script];
  const options = { cwd: fileURLToPath(from), encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } } as const;
  return JSON.parse(execFileSync(process.execPath, args, options)) as Imported;
}
