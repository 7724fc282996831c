import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import { arbitraryMutation } from '../helpers/hostile-json.ts';
import { call, get, oldCall, post } from './malformed/case.ts';
import { type Answer, bytesOf, type RawRequest, takeAnswers, Wire } from './malformed/exchange.ts';
import { WRONG_1 } from './malformed/params-1.ts';
import { HEALTHY_OLDER } from './malformed/params-older.ts';
import { fetched, openTarget, type Target } from './malformed/play.ts';
import { expectSettled } from './malformed/settled.ts';

/**
 * Whatever becomes of a request on its way, it is answered, and the fault is never ours. `TANDEM_SEED` repeats a run,
 * `TANDEM_RUNS` makes it longer.
 */

vi.setConfig({ testTimeout: 120_000 });

const SEED = Number(process.env['TANDEM_SEED'] ?? 20_260_312);
const RUNS = Number(process.env['TANDEM_RUNS'] ?? 300);

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], metadata: { a: [1, { b: null }] } };
const CONFIGURATION = { acceptedOutputModes: ['text/plain'], historyLength: 1, returnImmediately: false };

/** Healthy requests of every operation, in every version and binding. */
const HEALTHY: readonly RawRequest[] = [
  ...Object.entries(WRONG_1).map(([method, { params }]) => call(method, params)),
  ...HEALTHY_OLDER.map(([method, params, version]) => oldCall(method, params, version)),
  call('SendMessage', { tenant: 't', message: MESSAGE, configuration: CONFIGURATION, metadata: { a: 1 } }),
  call('SendMessage', { message: { ...MESSAGE, parts: [{ raw: 'AAAA', filename: 'f' }, { data: { a: [1] } }] } }),
  call('ListTasks', { contextId: 'paged', pageSize: 1, pageToken: '$TOKEN', includeArtifacts: true }),
  oldCall('message/send', {
    message: {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [
        { kind: 'file', file: { bytes: 'AAAA', name: 'f', mimeType: 'text/plain' } },
        { kind: 'data', data: { a: 1 } },
      ],
    },
    configuration: { blocking: true, historyLength: 1 },
  }),
  post('/message:send', { message: MESSAGE, configuration: CONFIGURATION }),
  post('/message:stream', { message: MESSAGE }),
  post('/v1/message:send', { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] } }),
  post('/v1/message:stream', { message: { kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } }),
  post('/tasks/$TASK:cancel', { id: '$TASK', metadata: {} }),
  post('/tasks/$TASK/pushNotificationConfigs', { taskId: '$TASK', url: 'https://example.com', token: 't' }),
  post('/v1/tasks/$TASK/pushNotificationConfigs', { config: { url: 'https://example.com' } }),
];

const BODYLESS: readonly RawRequest[] = [
  get('/tasks?contextId=paged&status=TASK_STATE_COMPLETED&pageSize=1&pageToken=$TOKEN&includeArtifacts=true'),
  get('/tasks/$TASK?historyLength=1'),
  get('/tenant/tasks/$TASK'),
  get('/tasks/$TASK:subscribe'),
  get('/tasks/$TASK/pushNotificationConfigs?pageSize=1&pageToken=x'),
  { method: 'DELETE', path: '/tasks/$TASK/pushNotificationConfigs/c' },
  get('/v1/tasks/$TASK'),
  get('/v1/card'),
  get('/extendedAgentCard'),
  get('/.well-known/agent-card.json'),
  get('/readyz'),
];

function filledIn(request: RawRequest, { task, token }: Target): RawRequest {
  return JSON.parse(JSON.stringify(request).replaceAll('$TASK', task).replaceAll('$TOKEN', token)) as RawRequest;
}

function assertNotOurs({ status, headers, text }: Answer, faults: readonly unknown[]): void {
  expect(status).not.toBe(500);
  expect(text).not.toContain('-32603');
  expect(faults).toEqual([]);
  if (text !== '' && headers['content-type'] !== 'text/event-stream') JSON.parse(text);
}

test('a request whose JSON was changed is answered, and the fault is not ours', async () => {
  await using target = await openTarget();
  const mutations = fc.array(arbitraryMutation, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HEALTHY), mutations, async (healthy, all) => {
      const request = filledIn(healthy, target);
      const json = JSON.parse(String(request.body)) as JsonValue;
      const body = JSON.stringify(all.reduce((now, mutate) => mutate(now), json));
      assertNotOurs(await fetched(target.server, { ...request, body }), target.faults);
    }),
    { seed: SEED, numRuns: RUNS * 3 },
  );
  await expectSettled(target);
});

/** JSON to send instead of the object that every body should be. */
const ROOTS: readonly unknown[] = [null, true, false, 0, -1, 1.5, '', 'text', '{}', [], [null], [[]], [{}], {}];

test('a request whose whole body is replaced gets a response that is not an internal error', async () => {
  await using target = await openTarget();
  for (const healthy of HEALTHY) {
    const request = filledIn(healthy, target);
    const own = JSON.parse(String(request.body)) as JsonValue;
    for (const root of [...ROOTS, [own], [own, own], { body: own }]) {
      const answer = await fetched(target.server, { ...request, body: JSON.stringify(root) });
      expect([request.path, root, answer.status]).not.toEqual([request.path, root, 500]);
      assertNotOurs(answer, target.faults);
    }
  }
  await expectSettled(target);
});

interface Damage {
  readonly kind: 'replace' | 'insert' | 'delete' | 'repeat' | 'cut';
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Bytes that mean something to somebody on the way. */
const NASTY = ['\r\n', '\n', '\0', ' ', ':', '%', '/', '?', '{', '}', '[', '"', '\\', ',', '\xff', '-1', '1e999', '\t'];

const damages = fc.array(
  fc.record<Damage>({
    kind: fc.constantFrom('replace', 'insert', 'delete', 'repeat', 'cut'),
    at: fc.nat({ max: 2 ** 16 }),
    bytes: fc.oneof(
      fc.constantFrom(...NASTY).map((text) => new Uint8Array(Buffer.from(text, 'latin1'))),
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

function damaged(bytes: Buffer, { kind, at, bytes: strange }: Damage): Buffer {
  const start = at % (bytes.length + 1);
  const end = Math.min(bytes.length, start + strange.length);
  const [before, piece, after] = [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
  switch (kind) {
    case 'replace':
      return Buffer.concat([before, strange, after]);
    case 'insert':
      return Buffer.concat([before, strange, piece, after]);
    case 'delete':
      return Buffer.concat([before, after]);
    case 'repeat':
      return Buffer.concat([before, piece, piece, piece, after]);
    case 'cut':
      return before;
  }
}

test('a request whose bytes were changed ends, with an answer or without, and the fault is not ours', async () => {
  await using target = await openTarget();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HEALTHY, ...BODYLESS), damages, async (healthy, all) => {
      const bytes = all.reduce(damaged, bytesOf(filledIn(healthy, target)));
      const wire = new Wire(target.server.port);
      // Says that nothing follows, so that nobody waits for what was cut. Node may cut its answer for it.
      wire.socket.end(bytes);
      const { answers } = takeAnswers(await wire.ended, healthy.method);
      for (const answer of answers) assertNotOurs(answer, target.faults);
      expect(target.faults).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  await expectSettled(target);
});
