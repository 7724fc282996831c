import { isDeepStrictEqual } from 'node:util';
import type { Bench } from './harness/bench.ts';
import { type CpuCase, type CpuRound, runCpuRounds } from './harness/cpu-rounds.ts';
import { buildModules, importModule } from './harness/product.ts';
import { ratios, spread } from './harness/stats.ts';
import { showSpread, table } from './harness/table.ts';
import { WIRE_TEXTS } from './wire-texts.ts';

interface WireCase extends CpuCase {
  /** The most that reading and writing may cost, as a multiple of parsing and printing the same text. */
  readonly limit: number;
}

type DialectModule = typeof import('../src/wire/dialect.ts');
type SelectModule = typeof import('../src/wire/select.ts');

function floor(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** As a server reads: leniently, with all repairs at hand. */
async function wireCases(): Promise<readonly WireCase[]> {
  const { decodeParams, operationCodec } = await importModule<DialectModule>('wire/dialect.js');
  const { dialects, repairs } = await importModule<SelectModule>('wire/select.js');
  const options = { repairs };
  return WIRE_TEXTS.map(({ dialect: name, text }) => {
    const dialect = dialects[name];
    const { params } = operationCodec(dialect, 'SendMessage');
    return {
      name,
      text,
      limit: name === 'v1' ? 1.3 : 1.6,
      floor,
      run: (json) =>
        JSON.stringify(params.encode(decodeParams(dialect, 'SendMessage', JSON.parse(json), options).value)),
    };
  });
}

/** A fast way to the wrong answer does not count: what was written must be what was read. */
function checkReadBack({ name, text, run }: WireCase): void {
  const [was, is] = [JSON.parse(text) as unknown, JSON.parse(run(text)) as unknown];
  if (isDeepStrictEqual(is, was)) return;
  throw new Error(`${name} does not write what it read:\n${JSON.stringify(was)}\n${JSON.stringify(is)}`);
}

function summarize({ name, text, limit }: WireCase, rounds: readonly CpuRound[]) {
  const [floorUs, runUs] = [rounds.map((round) => round.floorUs), rounds.map((round) => round.runUs)];
  const ratio = ratios(runUs, floorUs);
  return {
    dialect: name,
    bytes: Buffer.byteLength(text),
    limit,
    withinLimit: ratio.median <= limit,
    ratio,
    floorUs: spread(floorUs),
    runUs: spread(runUs),
    rounds,
  };
}

/** Reading and writing a typical SendMessage in each dialect, beside `JSON.parse` and `JSON.stringify` of its text. */
export const wire: Bench = {
  name: 'wire',
  async run({ quick }) {
    buildModules();
    const cases = await wireCases();
    for (const one of cases) checkReadBack(one);
    const options = quick
      ? { rounds: 5, warmUpRounds: 2, callsPerRound: 2500 }
      : { rounds: 25, warmUpRounds: 5, callsPerRound: 5000 };
    const rounds = runCpuRounds(cases, options);
    const dialects = cases.map((one) => summarize(one, rounds.get(one.name) ?? []));
    const rows = dialects.map((one) => [
      one.dialect,
      String(one.bytes),
      showSpread(one.floorUs),
      showSpread(one.runUs),
      showSpread(one.ratio),
      one.limit.toFixed(1),
      one.withinLimit ? 'ok' : 'over',
    ]);
    const head = ['dialect', 'bytes', 'JSON only, CPU µs', 'decode + encode, CPU µs', 'ratio', 'limit', 'verdict'];
    return {
      title: `wire: a typical SendMessage, JSON.parse + decode + encode + JSON.stringify (${options.rounds} rounds)`,
      table: table(head, rows),
      result: { dialects },
    };
  },
};
