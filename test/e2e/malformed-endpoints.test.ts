import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import type { OperationName } from '../../src/model/operation.ts';
import { serve } from '../../src/node/serve.ts';
import { silentLog } from '../../src/observe/log.ts';
import { agent } from '../../src/agent/agent.ts';
import type { Authenticator } from '../../src/host/auth/authenticator.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { type Dialect, operationCodec } from '../../src/wire/dialect.ts';
import { dialects } from '../../src/wire/select.ts';
import { exchange, type RawRequest } from './malformed/exchange.ts';
import { openTarget, type Target } from './malformed/run-cases.ts';
import { expectIdle } from './malformed/expect-idle.ts';
import {
  assertNoInternals,
  PATHS,
  pathSafe,
  arbitraryBody,
  arbitraryHeaders,
  arbitraryParams,
  arbitraryText,
  VERBS,
} from './malformed/arbitrary-requests.ts';

/**
 * Every path with every HTTP method, and every operation of every version, with arbitrary headers and bodies: each request gets a
 * response without internal errors and without internals. `TANDEM_SEED` repeats a run, `TANDEM_RUNS` makes it longer.
 */

vi.setConfig({ testTimeout: 120_000 });

const SEED = Number(process.env['TANDEM_SEED'] ?? 20_260_312);
const RUNS = Number(process.env['TANDEM_RUNS'] ?? 400);

async function expectResponse(target: Target, request: RawRequest): Promise<void> {
  const fill = (text: string): string => text.replaceAll('$TASK', target.task);
  const filled: RawRequest = {
    ...request,
    ...(request.path !== undefined && { path: fill(request.path) }),
    ...(typeof request.body === 'string' && { body: fill(request.body) }),
  };
  assertNoInternals(await exchange(target.server.port, filled));
  expect(target.faults).toEqual([]);
}

test('every path and HTTP method gets a response that is not an internal error, with arbitrary headers and bodies', async () => {
  await using target = await openTarget({
    trustProxy: true,
    auth: () => ({ id: 'ann', isVerified: true }),
    limits: { rate: false },
  });
  const place = fc.tuple(
    fc.constantFrom('', '/v1', '/tenant', '/v1/tenant', '//', '/%2e'),
    fc.constantFrom(...PATHS),
    fc.oneof(fc.constant('$TASK'), arbitraryText.map(pathSafe)),
    fc.option(arbitraryText.map(pathSafe), { nil: undefined }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...VERBS),
      place,
      arbitraryHeaders,
      arbitraryBody,
      async (method, [prefix, path, id, query], given, content) => {
        const whole = `${prefix}${path.replaceAll('$ID', () => id)}${query === undefined ? '' : `?${query}`}`;
        await expectResponse(target, {
          method,
          path: whole,
          headers: given,
          ...(content !== undefined && { body: content }),
        });
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
  await expectIdle(target);
});

/** The JSON-RPC method of each operation in each version, and its accepted aliases. */
const METHODS = [
  ...new Set(
    Object.values<Dialect>(dialects).flatMap((dialect) => [
      ...(Object.keys(dialect.operations) as OperationName[]).map((name) => operationCodec(dialect, name).method),
      ...Object.keys(dialect.methodAliases),
    ]),
  ),
].filter((method) => method !== undefined);

test('every JSON-RPC method of every version gets a response that is not an internal error, with arbitrary params and headers', async () => {
  await using target = await openTarget();
  expect(METHODS.length).toBeGreaterThan(20);
  const version = fc.constantFrom(undefined, '1.0', '0.3', '0.2', '0.1', '2.0', '');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...METHODS),
      version,
      arbitraryParams,
      arbitraryHeaders,
      async (method, requested, json, given) => {
        const others = given.filter(([name]) => name !== 'Content-Type' && name !== 'A2A-Version');
        await expectResponse(target, {
          headers: [
            ['Content-Type', 'application/json'],
            ...(requested === undefined ? [] : [['A2A-Version', requested] as const]),
            ...others,
          ],
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: json }),
        });
      },
    ),
    { seed: SEED, numRuns: RUNS * 2 },
  );
  await expectIdle(target);
});

test('a subscription gets a response for an arbitrary Last-Event-ID', async () => {
  await using target = await openTarget();
  const ways: readonly RawRequest[] = [
    { method: 'GET', path: '/tasks/$TASK:subscribe' },
    { method: 'POST', path: '/v1/tasks/$TASK:subscribe' },
    ...['SubscribeToTask', 'tasks/resubscribe'].map((method) => ({
      headers: [['Content-Type', 'application/json']] as const,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: '$TASK' } }),
    })),
  ];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ways), arbitraryText, async (way, number) => {
      await expectResponse(target, { ...way, headers: [...(way.headers ?? []), ['Last-Event-ID', number]] });
    }),
    { seed: SEED, numRuns: RUNS },
  );
  await expectIdle(target);
});

/** Reads every place in which credentials can be. */
const thorough: Authenticator = {
  schemes: {},
  challenge: 'Bearer realm="a2a"',
  authenticate(request) {
    const query = new URLSearchParams(request.query).get('key');
    const credentials = request.header('authorization') ?? request.header('x-api-key') ?? query ?? undefined;
    if (credentials === undefined) return undefined;
    if (credentials === 'Bearer right') return { id: 'alice', isVerified: true };
    throw new A2AError('UNAUTHENTICATED', 'These credentials are invalid');
  },
};

test('credentials of arbitrary bytes get 400 or 401, and log no error', async () => {
  const faults: unknown[] = [];
  const log = { ...silentLog, error: (...fault: unknown[]) => void faults.push(fault) };
  const subject = agent({ name: 'Closed', description: 'Knows nobody.', run: () => 'Come in' });
  await using server = await serve(subject, { port: 0, store: memoryStore(), log, auth: thorough });
  const place = fc.constantFrom('/a2a', '/message:send', '/tasks', '/v1/tasks/x', '/extendedAgentCard');
  await fc.assert(
    fc.asyncProperty(place, arbitraryHeaders, arbitraryText.map(pathSafe), async (path, given, key) => {
      const method = path === '/a2a' || path === '/message:send' ? 'POST' : 'GET';
      const answer = await exchange(server.port, { method, path: `${path}?key=${key}`, headers: given });
      assertNoInternals(answer);
      // Node sends 400 for bytes that no header may have.
      expect([400, 401]).toContain(answer.status);
      expect(faults).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  const right = await exchange(server.port, {
    method: 'GET',
    path: '/tasks',
    headers: [['Authorization', 'Bearer right']],
  });
  expect(right.status).toBe(200);
});
