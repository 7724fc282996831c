import { isDeepStrictEqual } from 'node:util';
import type { Bench } from './harness/bench.ts';
import { type CpuCase, type CpuRound, runCpuRounds } from './harness/cpu-rounds.ts';
import { buildModules, importModule } from './harness/product.ts';
import { ratios, spread } from './harness/stats.ts';
import { showSpread, table } from './harness/table.ts';
import { WIRE_TEXTS } from './wire-texts.ts';

interface WireCase extends CpuCase {
  /** The maximum cost of decoding and encoding, as a multiple of `JSON.parse` and `JSON.stringify` of the same text. */
  readonly limit: number;
}

type DialectModule = typeof import('../src/wire/dialect.ts');
type SelectModule = typeof import('../src/wire/select.ts');

function baseline(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** As a server decodes: leniently, with all repairs. */
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
      baseline,
      run: (json) =>
        JSON.stringify(params.encode(decodeParams(dialect, 'SendMessage', JSON.parse(json), options).value)),
    };
  });
}

/** The encoded value must equal the decoded one, because a fast codec with a wrong result does not count. */
function checkReadBack({ name, text, run }: WireCase): void {
  const [was, is] = [JSON.parse(text) as unknown, JSON.parse(run(text)) as unknown];
  if (isDeepStrictEqual(is, was)) return;
  throw new Error(`${name} does not encode what it decoded:\n${JSON.stringify(was)}\n${JSON.stringify(is)}`);
}

function summarize({ name, text, limit }: WireCase, rounds: readonly CpuRound[]) {
  const [baselineUs, runUs] = [rounds.map((round) => round.baselineUs), rounds.map((round) => round.runUs)];
  const ratio = ratios(runUs, baselineUs);
  return {
    dialect: name,
    bytes: Buffer.byteLength(text),
    limit,
    withinLimit: ratio.median <= limit,
    ratio,
    baselineUs: spread(baselineUs),
    runUs: spread(runUs),
    rounds,
  };
}

/**
 * Decodes and encodes a typical SendMessage in each dialect, compared with `JSON.parse` and `JSON.stringify` of its
 * text.
 */
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
      showSpread(one.baselineUs),
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
