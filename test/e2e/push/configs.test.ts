/** Push configurations: create, get, list and delete, and their effect on notifications. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sqlite } from '../../../src/store/sqlite/store.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Task } from '../../../src/model/task.ts';
import { dialectFor, rawCall, type WireFormat, WIRE_FORMATS } from '../../helpers/raw-call.ts';
import { verifies } from '../../helpers/verifies.ts';
import type { Ask } from '../kit/exchange.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { pushTransportTo, NEVER } from './deliveries.ts';
import { startReceiver } from './receiver.ts';

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ask' }] } as const;
const HOOK = { url: 'https://hooks.example.com/a2a' };
/** Resolves no host name, so that no receiver is called. */
const NO_DNS = { resolve: async () => [] };
const SCOPE = { tenant: '', owner: 'anonymous' };

/** A task that has asked a question. */
async function waitingTask({ ask }: TestServer): Promise<string> {
  const { json } = await ask({ method: 'POST', path: '/message:send', body: { message: MESSAGE } });
  return (json as { task: { id: string } }).task.id;
}

function configs(taskId: string, method = 'GET', id = '', body?: object): Ask {
  const path = `/tasks/${taskId}/pushNotificationConfigs${id === '' ? '' : `/${id}`}`;
  return { method, path, ...(body !== undefined && { body }) };
}

test(verifies('P-01', 'a created push configuration has the given id or a new one'), async () => {
  const server = await startServer({ pushNotifications: true, push: NO_DNS });
  const task = await waitingTask(server);
  const named = await server.ask(configs(task, 'POST', '', { ...HOOK, id: 'mine' }));
  expect(named.json).toEqual({ ...HOOK, id: 'mine', taskId: task });
  const unnamed = await server.ask(configs(task, 'POST', '', HOOK));
  expect(unnamed.json).toEqual({ ...HOOK, id: expect.stringMatching(/.{20,}/), taskId: task });
});

test(
  verifies('P-03', 'get returns a push configuration, and 404 for an unknown one or one of another tenant'),
  async () => {
    const server = await startServer({ pushNotifications: true, push: NO_DNS });
    const task = await waitingTask(server);
    await server.ask(configs(task, 'POST', '', { ...HOOK, id: 'c', token: 't' }));
    expect((await server.ask(configs(task, 'GET', 'c'))).json).toEqual({ ...HOOK, id: 'c', taskId: task, token: 't' });
    const missing = [
      configs(task, 'GET', 'd'),
      configs('no-task', 'GET', 'c'),
      { method: 'GET', path: `/acme${configs(task, 'GET', 'c').path}` },
    ];
    for (const ask of missing) expect((await server.ask(ask)).status).toBe(404);
  },
);

test(verifies('P-04', 'list returns all push configurations, in pages if requested'), async () => {
  const server = await startServer({ pushNotifications: true, push: NO_DNS });
  const task = await waitingTask(server);
  const ids = ['a', 'b', 'c', 'd', 'e'];
  for (const id of ids) await server.ask(configs(task, 'POST', '', { ...HOOK, id }));
  const page = async (query: string) => {
    const { json } = await server.ask({ method: 'GET', path: `${configs(task).path}${query}` });
    const { configs: all, nextPageToken } = json as { configs: { id: string }[]; nextPageToken: string };
    return { ids: all.map(({ id }) => id), nextPageToken };
  };
  expect(await page('')).toEqual({ ids, nextPageToken: '' });
  const first = await page('?pageSize=3');
  expect(first.ids).toEqual(['a', 'b', 'c']);
  expect(await page(`?pageSize=3&pageToken=${first.nextPageToken}`)).toEqual({ ids: ['d', 'e'], nextPageToken: '' });
});

test(
  verifies('P-05', 'a deleted push configuration is gone, gets no notifications, and can be deleted again'),
  async () => {
    const store = memoryStore();
    const receiver = await startReceiver();
    const server = await startServer({ store, pushNotifications: true, push: { allowPrivate: [receiver.origin] } });
    const task = await waitingTask(server);
    await server.ask(configs(task, 'POST', '', { url: receiver.url, id: 'c' }));
    for (let time = 0; time < 2; time++) expect((await server.ask(configs(task, 'DELETE', 'c'))).status).toBe(200);
    expect((await server.ask(configs(task, 'GET', 'c'))).status).toBe(404);
    const before = receiver.received.length;
    const answer = { ...MESSAGE, messageId: 'answer', taskId: task, parts: [{ text: 'Lyon' }] };
    await server.ask({ method: 'POST', path: '/message:send', body: { message: answer } });
    expect(await deliverAll(store, task, [receiver.origin])).toBe(0);
    expect(receiver.received.slice(before)).toEqual([]);
  },
);

test(verifies('P-02', 'a push configuration of a waiting task survives a restart'), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-push-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tasks.db');
  const first = sqlite(file);
  const server = await startServer({ store: first, pushNotifications: true, push: NO_DNS });
  const task = await waitingTask(server);
  await server.ask(configs(task, 'POST', '', { ...HOOK, id: 'c' }));
  await server.server.close({ finishMs: 0 });
  await first.close();

  const second = sqlite(file);
  onTestFinished(() => second.close());
  const later = await startServer({ store: second, pushNotifications: true, push: NO_DNS });
  expect((await later.ask(configs(task, 'GET', 'c'))).json).toEqual({ ...HOOK, id: 'c', taskId: task });
});

test(verifies('P-13', 'the secrets of a push configuration are not in responses, tasks or the log'), async () => {
  const logged: string[] = [];
  const note = (...line: unknown[]): void => void logged.push(JSON.stringify(line));
  const log = { info: note, warn: note, error: note };
  const server = await startServer({ pushNotifications: true, push: NO_DNS, log });
  const task = await waitingTask(server);
  const authentication = { scheme: 'Bearer', credentials: 'top-secret' };
  await server.ask(configs(task, 'POST', '', { ...HOOK, id: 'c', authentication }));
  const seen = [
    await server.ask(configs(task, 'GET', 'c')),
    await server.ask(configs(task)),
    await server.ask({ method: 'GET', path: `/tasks/${task}` }),
    await server.ask({ method: 'GET', path: `/acme${configs(task).path}` }),
    await server.ask(configs(task, 'POST', '', { url: 'https://10.0.0.1', authentication })),
  ];
  for (const { text } of seen) expect(text).not.toContain('top-secret');
  expect(logged.join()).not.toContain('top-secret');
});

test.each(['', 'some-task'])(
  verifies('P-20', 'a push configuration in a message is accepted only with an empty task id: "%s"'),
  async (taskId) => {
    const server = await startServer({ pushNotifications: true, push: NO_DNS });
    const configuration = { taskPushNotificationConfig: { ...HOOK, taskId } };
    const response = await server.ask({
      method: 'POST',
      path: '/message:send',
      body: { message: MESSAGE, configuration },
    });
    expect(response.status).toBe(taskId === '' ? 200 : 400);
    expect(server.runs()).toBe(taskId === '' ? 1 : 0);
  },
);

/** Delivers all notifications of a task, as the engine would, with ids that distinguish them from those of the engine. */
async function deliverAll(store: Store, taskId: string, origins: readonly string[]): Promise<number> {
  const pushTransport = pushTransportTo(origins);
  const found = await store.read(SCOPE, taskId, {});
  const all = (await store.pushConfigs(SCOPE, taskId, { limit: 100 })) ?? [];
  if (found === undefined) throw new Error('There is no such task');
  const { record: task, history } = found;
  const view: Task = { id: task.id, contextId: task.contextId, status: task.status, history };
  let delivered = 0;
  for (const event of await store.events(taskId, 0, 100)) {
    for (const config of all.filter((each) => pushTransport.wants(event, each))) {
      const delivery = {
        id: `test-${delivered++}`,
        attempt: 1,
        task,
        config,
        event,
        taskView: async () => view,
        trace: undefined,
      };
      await pushTransport.deliver(delivery, NEVER);
    }
  }
  return delivered;
}

describe('the notifications of a configuration in a message', () => {
  function interfaceOf(url: string, { binding, version }: WireFormat): string {
    if (binding === 'JSONRPC') return `${url}/a2a`;
    return version === '0.3' ? `${url}/v1` : url;
  }

  test.each(WIRE_FORMATS)(
    verifies(['P-06', 'P-07'], 'of $version over $binding have the format of that version, and its credentials'),
    async (format) => {
      const receiver = await startReceiver();
      const store = memoryStore();
      const server = await startServer({ store, pushNotifications: true, push: { allowPrivate: [receiver.origin] } });
      const message = {
        ...MESSAGE,
        parts: [{ text: 'story' }],
        ...(format.version === '0.1' && { taskId: 'my story' }),
      };
      const taskPushNotificationConfig = {
        url: receiver.url,
        token: 'abc',
        authentication: { scheme: 'Bearer', credentials: 'xyz' },
      };
      const response = await rawCall(format, interfaceOf(server.url, format), 'SendMessage', {
        message,
        configuration: { taskPushNotificationConfig },
      });
      expect(response.status).toBe(200);
      const [first] = (await store.list(SCOPE, { limit: 1 })).tasks;
      const taskId = first?.record.id ?? '';

      const delivered = await deliverAll(store, taskId, [receiver.origin]);

      const ours = receiver.received.filter(({ headers }) => headers['webhook-id']?.startsWith('test-'));
      expect(ours).toHaveLength(delivered);
      const kinds = new Set(ours.flatMap(({ json }) => Object.keys(json as object)));
      for (const { headers } of ours) {
        expect(headers).toMatchObject({ 'x-a2a-notification-token': 'abc', authorization: 'Bearer xyz' });
        expect(headers['content-type']).toBe(dialectFor(format).mediaType);
      }
      if (format.version === '1.0') {
        expect([...kinds].sort()).toEqual(['artifactUpdate', 'statusUpdate', 'task']);
      } else {
        const named = format.version === '0.1' ? { id: 'my story' } : { kind: 'task', id: taskId };
        const states = ['submitted', 'working', 'working', 'completed'];
        expect(ours.map(({ json }) => json)).toMatchObject(states.map((state) => ({ ...named, status: { state } })));
      }
    },
  );
});
