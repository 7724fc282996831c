/** A task of another caller is like a task that does not exist: the same response, after the same calls of the store. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/store.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import { type CountingStore, countingStore } from './kit/counting-store.ts';
import type { Answer, Ask } from './kit/exchange.ts';
import { Mask } from './kit/mask.ts';
import { startServer, type TestServer } from './kit/server.ts';
import {
  FORMATS_1,
  REST_03,
  REST_1,
  RPC_02,
  RPC_03,
  RPC_1,
  WIRE_FORMATS,
  type WireFormat,
} from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const CALLERS = [
  { id: 'ann', isVerified: true },
  { id: 'bob', isVerified: true },
  { id: 'tim', isVerified: true, tenants: ['globex'] },
] as const;

interface Served extends TestServer {
  readonly counting: CountingStore;
}

async function serve(): Promise<Served> {
  const counting = countingStore(memoryStore());
  const server = await startServer({
    // The rate limit headers differ between callers.
    limits: { rate: false },
    store: counting.store,
    auth: knownCallers(...CALLERS),
    pushNotifications: true,
  });
  return { ...server, counting };
}

interface Operation {
  readonly name: string;
  ask(id: string): Ask;
}

const HOOK = { url: 'https://example.com/hook' };

function operationsOf(format: WireFormat): readonly Operation[] {
  const numbered = (ask: Ask): Ask => ({ ...ask, headers: { ...ask.headers, 'last-event-id': '0' } });
  return [
    { name: 'get', ask: (id) => format.get(id) },
    { name: 'get with state changes', ask: (id) => withTransitions(format.get(id)) },
    { name: 'cancel', ask: (id) => format.cancel(id) },
    { name: 'subscribe', ask: (id) => format.subscribe(id) },
    { name: 'subscribe with Last-Event-ID', ask: (id) => numbered(format.subscribe(id)) },
    { name: 'follow up', ask: (taskId) => format.send({ text: 'Rome', taskId }) },
    {
      name: 'follow up with returnImmediately',
      ask: (taskId) => format.send({ text: 'Rome', taskId, returnImmediately: true }),
    },
    { name: 'follow up with a stream', ask: (taskId) => format.stream({ text: 'Rome', taskId }) },
    { name: 'send with referenceTaskIds', ask: (id) => referring(format, id) },
    ...pushOperationsOf(format),
  ];
}

function withTransitions(ask: Ask): Ask {
  return { ...ask, headers: { ...ask.headers, 'a2a-extensions': 'urn:tandem-a2a:transitions:1' } };
}

/** A new message with the id of another task in `referenceTaskIds`. */
function referring(format: WireFormat, id: string): Ask {
  const ask = format.send({ text: 'about', messageId: randomUUID() });
  const text = JSON.stringify(ask.body);
  return { ...ask, body: text.replace('"messageId":', `"referenceTaskIds":["${id}"],"messageId":`) };
}

function pushOperationsOf(format: WireFormat): readonly Operation[] {
  const call = (name: string, method: string, params: (id: string) => object): Operation => ({
    name: `${name} a push configuration`,
    ask: (id) => rpc(format.version, method, params(id)),
  });
  const rest = (name: string, method: string, path: (id: string) => string, body?: object): Operation => ({
    name: `${name} a push configuration`,
    ask: (id) => ({ method, path: path(id), headers: { 'a2a-version': format.version }, ...(body && { body }) }),
  });
  const older = 'tasks/pushNotificationConfig';
  switch (format) {
    case RPC_1:
      return [
        call('make', 'CreateTaskPushNotificationConfig', (taskId) => ({ taskId, ...HOOK })),
        call('get', 'GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })),
        call('list', 'ListTaskPushNotificationConfigs', (taskId) => ({ taskId })),
        call('delete', 'DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })),
      ];
    case REST_1:
      return [
        rest('make', 'POST', (id) => `/tasks/${id}/pushNotificationConfigs`, HOOK),
        rest('get', 'GET', (id) => `/tasks/${id}/pushNotificationConfigs/c`),
        rest('list', 'GET', (id) => `/tasks/${id}/pushNotificationConfigs`),
        rest('delete', 'DELETE', (id) => `/tasks/${id}/pushNotificationConfigs/c`),
      ];
    case REST_03:
      return [
        rest('get', 'GET', (id) => `/v1/tasks/${id}/pushNotificationConfigs/c`),
        rest('list', 'GET', (id) => `/v1/tasks/${id}/pushNotificationConfigs`),
      ];
    case RPC_03:
    case RPC_02:
      return [
        call('set', `${older}/set`, (taskId) => ({ taskId, pushNotificationConfig: HOOK })),
        call('get', `${older}/get`, (id) => ({ id })),
        call('list', `${older}/list`, (id) => ({ id })),
        call('delete', `${older}/delete`, (id) => ({ id, pushNotificationConfigId: 'c' })),
      ];
    default:
      return [
        call('set', 'tasks/pushNotification/set', (id) => ({ id, pushNotificationConfig: HOOK })),
        call('get', 'tasks/pushNotification/get', (id) => ({ id })),
      ];
  }
}

/** The same request for a tenant; versions before 1.0 have no tenants. */
function inTenant(tenant: string, ask: Ask): Ask {
  if (tenant === '') return ask;
  if (ask.path !== '/a2a') return { ...ask, path: `/${tenant}${ask.path}` };
  const body = (typeof ask.body === 'string' ? JSON.parse(ask.body) : ask.body) as { params: object };
  return { ...ask, body: { ...body, params: { ...body.params, tenant } } };
}

/** A response without its date, and with masked ids. */
function facts({ status, headers, text }: Answer): object {
  const { date: _, ...others } = headers;
  return { status, headers: others, text: new Mask().text(text) };
}

interface OtherCaller {
  readonly name: string;
  readonly caller: string;
  readonly tenant: string;
}

const OTHER_CALLERS: readonly OtherCaller[] = [
  { name: 'another caller', caller: 'bob', tenant: '' },
  { name: 'another caller of the same tenant', caller: 'bob', tenant: 'acme' },
  { name: 'the same caller in another tenant', caller: 'ann', tenant: 'globex' },
  { name: 'the same caller without a tenant', caller: 'ann', tenant: '' },
  { name: 'a caller of another tenant', caller: 'tim', tenant: 'acme' },
];

async function makeTask(server: Served, format: WireFormat, text: string, tenant: string): Promise<string> {
  const ask = as('ann', inTenant(tenant, format.send({ text })));
  const sent = format.sent(await server.ask(ask));
  return 'task' in sent ? sent.task.id : expect.fail('Expected a task');
}

const CASES = WIRE_FORMATS.flatMap((format) =>
  operationsOf(format).map((operation) => ({ name: `${format.name}: ${operation.name}`, format, operation })),
);

describe.each(['ask', 'done'])('a task of another caller that was started with "%s"', (text) => {
  test.each(CASES)(
    verifies(
      ['Z-01', 'Z-04', 'Z-05', 'Z-07', 'H-09', 'H-17', 'N-09'],
      '$name is like the same operation on an unknown task',
    ),
    async ({ format, operation }) => {
      const server = await serve();
      const tenants = FORMATS_1.includes(format) ? ['acme', ''] : [''];
      for (const tenant of tenants) {
        const id = await makeTask(server, format, text, tenant);
        const before = await server.ask(as('ann', inTenant(tenant, format.get(id))));
        for (const other of othersThan(tenant)) {
          const answerTo = (name: string): Promise<Answer> =>
            server.ask(as(other.caller, inTenant(other.tenant, operation.ask(name))));
          const unknown = await server.counting.during(() => answerTo(randomUUID()));
          const foreign = await server.counting.during(() => answerTo(id));
          expect({ to: other.name, ...facts(foreign.result) }).toEqual({ to: other.name, ...facts(unknown.result) });
          expect(foreign.calls).toEqual(unknown.calls);
          // A caller without access to a tenant is rejected before the store is read.
          expect(unknown.calls.length === 0).toBe(unknown.result.status === 403);
          expect(foreign.result.text).not.toContain('Which city?');
        }
        expect(facts(await server.ask(as('ann', inTenant(tenant, format.get(id)))))).toEqual(facts(before));
      }
    },
  );
});

/** For a task without a tenant, only the caller can differ. */
function othersThan(tenant: string): readonly OtherCaller[] {
  return OTHER_CALLERS.filter((other) => (tenant === '' ? other.name === 'another caller' : true));
}

test.each(FORMATS_1)(
  verifies(['Z-02', 'Z-03'], '$name: ListTasks returns only tasks of its caller and tenant, with any filter'),
  async (format) => {
    const server = await serve();
    const id = await makeTask(server, format, 'ask', 'acme');
    const own = format.task(await server.ask(as('ann', inTenant('acme', format.get(id)))));
    const list = (query: Readonly<Record<string, string>>): Ask =>
      format === RPC_1
        ? rpc('1.0', 'ListTasks', query)
        : { method: 'GET', path: `/tasks?${new URLSearchParams(query).toString()}`, headers: { 'a2a-version': '1.0' } };

    const listed = await server.ask(as('ann', inTenant('acme', list({ contextId: own.contextId }))));
    expect(listed.text).toContain(id);

    for (const { caller, tenant } of OTHER_CALLERS) {
      const answers = await Promise.all(
        [{}, { contextId: own.contextId }, { contextId: randomUUID() }, { status: 'TASK_STATE_INPUT_REQUIRED' }].map(
          (query) => server.ask(as(caller, inTenant(tenant, list(query)))),
        ),
      );
      for (const answer of answers) expect(answer.text).toContain('"totalSize":0');
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
  },
);

test('a page token of one caller is invalid for another caller', async () => {
  const server = await serve();
  for (const text of ['one', 'two']) await makeTask(server, RPC_1, text, '');
  const page = (caller: string, pageToken: string): Promise<Answer> =>
    server.ask(as(caller, rpc('1.0', 'ListTasks', { pageSize: 1, pageToken })));
  const { result } = (await page('ann', '')).json as { result: { nextPageToken: string } };
  expect((await page('ann', result.nextPageToken)).json).toHaveProperty('result');
  const foreign = await page('bob', result.nextPageToken);
  expect(foreign.text).toBe((await page('bob', 'nonsense')).text);
  expect(RPC_1.error(foreign).reason).toBe('INVALID_PARAMS');
});

describe.each(WIRE_FORMATS)('$name: a message to the context of another caller', (format) => {
  test('sees no earlier task, as in a new context, and does not change the context of its owner', async () => {
    const server = await serve();
    const first = format.sent(await server.ask(as('ann', format.send({ text: 'secret plan' }))));
    const contextId = 'task' in first ? first.task.contextId : expect.fail('Expected a task');

    const join = async (caller: string, id: string): Promise<string> => {
      const sent = format.sent(await server.ask(as(caller, format.send({ text: 'about', contextId: id }))));
      const about = 'task' in sent ? sent.task.artifacts?.['about'] : undefined;
      const output = JSON.parse(about ?? expect.fail('Expected a task')) as { readonly data?: unknown };
      // One form of 0.3 wraps data once more.
      return JSON.stringify(output.data ?? output);
    };
    const foreign = await join('bob', contextId);
    const unknown = await join('bob', randomUUID());

    expect(JSON.parse(foreign)).toMatchObject({ earlier: [], contextId });
    expect(new Mask().text(foreign)).toBe(new Mask().text(unknown));
    expect(JSON.parse(await join('ann', contextId))).toMatchObject({ earlier: [expect.any(String)] });
    const listed = await server.ask(as('ann', rpc('1.0', 'ListTasks', { contextId })));
    expect(listed.json).toMatchObject({ result: { totalSize: 2 } });
  });
});

test.each(FORMATS_1)(
  '$name: a caller cannot create a task in a tenant without access to it, and gets 403',
  async (format) => {
    const server = await serve();
    const send = (caller: string, tenant: string): Promise<Answer> =>
      server.ask(as(caller, inTenant(tenant, format.send({ text: 'hello' }))));
    const refused = await Promise.all([send('tim', 'acme'), send('tim', 'nowhere')]);
    for (const answer of refused)
      expect(format.error(answer)).toMatchObject({ status: 403, reason: 'PERMISSION_DENIED' });
    expect(facts(refused[0] ?? expect.fail())).toEqual(facts(refused[1] ?? expect.fail()));
    expect(server.runs()).toBe(0);
    for (const tenant of ['globex', '']) expect(format.sent(await send('tim', tenant))).toHaveProperty('task');
  },
);

test.each(WIRE_FORMATS)('$name: a subscription to a task of another caller gets TASK_NOT_FOUND', async (format) => {
  const server = await serve();
  const stream = await server.open(as('ann', format.stream({ text: 'hold on' })));
  const event = format.event((await stream.next()) ?? expect.fail());
  const id = event.kind === 'task' ? event.task.id : event.kind === 'status' ? event.taskId : expect.fail();

  const refused = await server.ask(as('bob', format.subscribe(id)));
  expect(format.error(refused).reason).toBe('TASK_NOT_FOUND');
  server.release();
  expect((await stream.rest()).map(({ json }) => JSON.stringify(json)).join('')).toContain('held');
});
