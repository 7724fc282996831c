import { ListTasksRequest, type Task, TaskState } from 'a2a-sdk-1';
import { describe, expect, test } from 'vitest';
import { officialClientBehaviours } from './official-client-behaviours.ts';
import { serveTestAgent } from './test-agent.ts';
import { all, type Peer, taskOf } from './peer.ts';
import { type Binding, clientOf, connect, connectTo03, requestOf } from './sdk-1.ts';

const BINDINGS: readonly Binding[] = ['JSONRPC', 'HTTP+JSON'];

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

for (const binding of BINDINGS) {
  officialClientBehaviours({ name: `JavaScript SDK 1.x over ${binding}`, connect: (url) => connect(url, binding) });
  officialClientBehaviours({
    name: `JavaScript SDK 1.x over ${binding}, with a server that supports only 0.3`,
    connect: (url) => connectTo03(url, binding),
    options: { versions: ['0.3'] },
  });
}

describe.each(BINDINGS)('JavaScript SDK 1.x over %s', (binding) => {
  test('it lists tasks in pages, the latest first', async () => {
    const { url } = await serveTestAgent();
    const client = await clientOf(url, binding);
    const ids = new Set<string>();
    for (let i = 0; i < 5; i++) ids.add(await idAfter(client, 'report'));
    const pages: Task[][] = [];
    let pageToken = '';
    do {
      const page = await client.listTasks(ListTasksRequest.fromJSON({ pageSize: 2, pageToken }));
      expect(page).toMatchObject({ pageSize: 2, totalSize: 5 });
      pages.push(page.tasks);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(new Set(pages.flat().map(({ id }) => id))).toEqual(ids);
    const times = pages.flat().map(({ status }) => status?.timestamp ?? '');
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('it lists tasks by state or context, with or without artifacts', async () => {
    const { url } = await serveTestAgent();
    const client = await clientOf(url, binding);
    const waiting = await idAfter(client, 'book');
    const done = await idAfter(client, 'report');
    const { contextId } = await client.getTask({ tenant: '', id: done });
    const list = async (query: object) => (await client.listTasks(ListTasksRequest.fromJSON(query))).tasks;

    const open = await list({ status: TaskState.TASK_STATE_INPUT_REQUIRED });
    expect(open.map(({ id }) => id)).toEqual([waiting]);
    const [bare, ...others] = await list({ contextId });
    expect([bare?.id, bare?.artifacts, others]).toEqual([done, [], []]);
    const [whole] = await list({ contextId, includeArtifacts: true });
    expect(whole).toEqual(await client.getTask({ tenant: '', id: done }));
  });

  test('it gets and lists only tasks of its tenant', async () => {
    const { url } = await serveTestAgent();
    const client = await clientOf(url, binding);
    const sent = await client.sendMessage({ ...requestOf({ text: 'report' }), tenant: 'north' });
    const id = 'status' in sent ? sent.id : '';
    expect(await client.getTask({ tenant: 'north', id })).toEqual(sent);
    await expect(client.getTask({ tenant: 'south', id })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    const { tasks } = await client.listTasks(ListTasksRequest.fromJSON({ tenant: 'south' }));
    expect(tasks).toEqual([]);
  });

  test.each<[string, (peer: Peer) => Promise<unknown>]>([
    ['get', (peer) => peer.get(UNKNOWN)],
    ['cancel', (peer) => peer.cancel(UNKNOWN)],
    ['resubscribe', (peer) => all(peer.resubscribe(UNKNOWN))],
    ['send', (peer) => peer.send({ text: 'report', taskId: UNKNOWN })],
    ['stream', (peer) => all(peer.stream({ text: 'report', taskId: UNKNOWN }))],
  ])('it throws TaskNotFoundError when it calls %s with an unknown task', async (_, call) => {
    const { url } = await serveTestAgent();
    await expect(call(await connect(url, binding))).rejects.toMatchObject({
      name: 'TaskNotFoundError',
      message: `Task ${UNKNOWN} does not exist`,
    });
  });

  test.each<[string, string, (peer: Peer, taskId: string) => Promise<unknown>]>([
    ['cancel', 'TaskNotCancelableError', (peer, taskId) => peer.cancel(taskId)],
    ['resubscribe', 'UnsupportedOperationError', (peer, taskId) => all(peer.resubscribe(taskId))],
    ['send', 'UnsupportedOperationError', (peer, taskId) => peer.send({ text: 'more', taskId })],
    ['stream', 'UnsupportedOperationError', (peer, taskId) => all(peer.stream({ text: 'more', taskId }))],
  ])('it throws its own error class when it calls %s with a task that has ended', async (_, name, call) => {
    const { url } = await serveTestAgent();
    const peer = await connect(url, binding);
    const { id } = taskOf(await peer.send({ text: 'report' }));
    await expect(call(peer, id)).rejects.toMatchObject({ name });
  });

  test('its stream() falls back to a send when the agent does not support streaming', async () => {
    const { url } = await serveTestAgent({ streaming: false });
    const peer = await connect(url, binding);
    const [first, ...rest] = await all(peer.stream({ text: 'report' }));
    expect(first).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(rest).toEqual([]);
  });
});

async function idAfter(client: Awaited<ReturnType<typeof clientOf>>, text: string): Promise<string> {
  const sent = await client.sendMessage(requestOf({ text }));
  return 'status' in sent ? sent.id : '';
}
