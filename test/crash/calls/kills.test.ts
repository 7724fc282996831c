/**
 * Processes of agents that call each other are killed at every fault point of a call, and started again: there is one child per call, one
 * question, one answer and one result, and a cancel leaves nothing running.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { readSources } from '../../helpers/source.ts';
import { type Bundle, bundle } from '../bundle.ts';
import { CALL_POINTS, PAIRS, WHOLE_MATRIX } from './cases.ts';
import { runScenario, runUntilKilled, type Scenario } from './scenario.ts';

const TIMEOUT_MS = 120_000;
/** `TANDEM_CALL_KILLS=whole` runs every case. */
const CASES = process.env['TANDEM_CALL_KILLS'] === 'whole' ? WHOLE_MATRIX : PAIRS;

const folder = mkdtempSync(join(tmpdir(), 'tandem-call-kills-'));
let built: Bundle | undefined;
let count = 0;
beforeAll(async () => {
  built = await bundle(new URL('host.ts', import.meta.url));
}, TIMEOUT_MS);
afterAll(() => {
  built?.remove();
  rmSync(folder, { recursive: true });
});

const run = (scenario: Scenario): ReturnType<typeof runScenario> =>
  runScenario(built?.path ?? '', { folder: join(folder, String(++count)) }, scenario);

test('every fault point of calls is among those at which processes are killed', () => {
  const points = [...readSources('src/engine')].flatMap(([path, text]) =>
    /\/calls(\.ts$|\/)/.test(path) ? [...text.matchAll(/faultPoint\('([^']+)'\)/g)].map(([, name]) => name) : [],
  );
  expect(points.length).toBeGreaterThan(5);
  expect(CALL_POINTS).toEqual(expect.arrayContaining(points));
});

test.each(CASES.map(({ title, scenario }) => [title, scenario] as const))(
  '%s',
  async (_, scenario) => {
    expect(await runUntilKilled(scenario, () => run(scenario))).toEqual({ isKilled: true, problems: [] });
  },
  TIMEOUT_MS,
);

/** Requests to the called agents, and what the caller of the calling agent does. */
const REQUESTS = [
  ['a call is sent', 'answer', /"method":"SendMessage"/],
  ['an answer is sent', 'answer', /"method":"SendMessage".*Ann/],
  ['the called agent is followed', 'answer', /"method":"SubscribeToTask"/],
  ['the task of the called agent is fetched', 'answer', /"method":"GetTask"/],
  ['a cancel is sent', 'cancel', /"method":"CancelTask"/],
] as const;

test.each(
  REQUESTS.flatMap(([when, ending, request]) =>
    (['before', 'after'] as const).map((side) => ({ when, ending, request, side })),
  ),
)(
  'a tree of calls settles when the connection breaks as $when, $side the called agent has the request',
  async ({ ending, request, side }) => {
    const broken = breakAt(request, side);
    const { problems } = await run({ layout: 'http', ending, connection: broken.hooks, disturb: broken.use });
    expect(problems).toEqual([]);
    expect(broken.hasBroken()).toBe(true);
  },
  TIMEOUT_MS,
);

interface BrokenConnection {
  readonly hooks: NonNullable<Scenario['connection']>;
  readonly use: NonNullable<Scenario['disturb']>;
  hasBroken(): boolean;
}

/** Breaks all connections at the first request that matches: before it is forwarded, or at the first response after it. */
function breakAt(request: RegExp, side: 'before' | 'after'): BrokenConnection {
  let cut = (): void => {};
  let state: 'intact' | 'breaks' | 'broken' = 'intact';
  return {
    hooks: {
      onRequest: (bytes) => {
        if (state !== 'intact' || !request.test(bytes.toString())) return bytes;
        if (side === 'after') {
          state = 'breaks';
          return bytes;
        }
        state = 'broken';
        cut();
        return Buffer.alloc(0);
      },
      onResponse: (bytes) => {
        if (state !== 'breaks') return bytes;
        state = 'broken';
        cut();
        return Buffer.alloc(0);
      },
    },
    use: (hosts) => {
      cut = () => hosts.at(-1)?.cut();
    },
    hasBroken: () => state === 'broken',
  };
}
