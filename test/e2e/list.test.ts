/** ListTasks: pages, order and filters (1.0 §3.1.4). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import type { Ask, Answer } from './kit/exchange.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { holdTask, sendTask } from './kit/tasks.ts';
import { REST_1, RPC_1 } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

type Query = Readonly<Record<string, string | number | boolean>>;

interface WirePage {
  readonly tasks: readonly {
    readonly id: string;
    readonly contextId: string;
    readonly status: { readonly state: string; readonly timestamp: string };
    readonly artifacts?: readonly unknown[];
  }[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** Only 1.0 has ListTasks. */
const BINDINGS = [
  {
    name: 'JSON-RPC',
    format: RPC_1,
    list: (query: Query): Ask => rpc('1.0', 'ListTasks', query),
    page: ({ json }: Answer): WirePage => (json as { result: WirePage }).result,
  },
  {
    name: 'REST',
    format: REST_1,
    list: (query: Query): Ask => {
      const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
      return { method: 'GET', path: `/tasks?${pairs.join('&')}`, headers: { 'a2a-version': '1.0' } };
    },
    page: ({ json }: Answer): WirePage => json as WirePage,
  },
];

/** Creates tasks that end one after the other. Returns their ids, the latest first. */
async function makeTasks(server: TestServer, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.unshift((await sendTask(server, RPC_1, { text: `task ${i}` })).id);
  return ids;
}

describe.each(BINDINGS)('ListTasks over $name', ({ list, page, format }) => {
  test(verifies(['L-03', 'L-07'], 'an empty list has all required members'), async () => {
    const server = await startServer();

    const answer = await server.ask(list({}));

    expect(page(answer)).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
  });

  test(verifies('L-01', 'a page of large tasks ends early, and the next page continues after it'), async () => {
    const server = await startServer();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await sendTask(server, RPC_1, { text: 'x'.repeat(3 * 2 ** 20) })).id);

    const pages: WirePage[] = [];
    for (let pageToken = ''; pages.length < 5; pageToken = pages.at(-1)?.nextPageToken ?? '') {
      pages.push(page(await server.ask(list({ pageSize: 100, historyLength: 0, includeArtifacts: true, pageToken }))));
      if (pages.at(-1)?.nextPageToken === '') break;
    }

    expect(pages.map(({ tasks }) => tasks.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ tasks }) => tasks.map(({ id }) => id))).toEqual(ids);
    expect(pages.map(({ totalSize, pageSize }) => [totalSize, pageSize])).toEqual(pages.map(() => [5, 100]));
  });

  test(verifies(['L-01', 'L-03', 'L-07'], 'the pages contain each task once'), async () => {
    const server = await startServer();
    const ids = await makeTasks(server, 7);

    const seen: string[][] = [];
    let pageToken = '';
    do {
      const { tasks, ...rest } = page(await server.ask(list({ pageSize: 3, pageToken })));
      seen.push(tasks.map(({ id }) => id));
      expect(rest).toEqual({ nextPageToken: expect.any(String), pageSize: 3, totalSize: 7 });
      pageToken = rest.nextPageToken;
    } while (pageToken !== '');

    expect(seen.map((each) => each.length)).toEqual([3, 3, 1]);
    expect(new Set(seen.flat())).toEqual(new Set(ids));
  });

  test(
    verifies('L-01', 'a task that is created between two requests does not move other tasks to another page'),
    async () => {
      const server = await startServer();
      await makeTasks(server, 4);
      const first = page(await server.ask(list({ pageSize: 2 })));

      const [added] = await makeTasks(server, 1);
      const second = page(await server.ask(list({ pageSize: 2, pageToken: first.nextPageToken })));

      const seen = [...first.tasks, ...second.tasks].map(({ id }) => id);
      expect(new Set(seen).size).toBe(4);
      expect(seen).not.toContain(added);
      expect(second.nextPageToken).toBe('');
    },
  );

  test(verifies('L-02', 'the task with the newest status comes first'), async () => {
    const server = await startServer();
    const { id: old } = await sendTask(server, format, { text: 'ask' });
    const [between] = await makeTasks(server, 1);
    // Two statuses of the same millisecond have no order.
    const { time } = await sendTask(server, format, { text: 'wait' });
    await expect.poll(() => new Date().toISOString() > time).toBe(true);

    const before = page(await server.ask(list({})));
    await sendTask(server, format, { text: 'Paris', taskId: old });
    const after = page(await server.ask(list({})));

    const times = before.tasks.map(({ status }) => status.timestamp);
    expect(times.toReversed()).toEqual([...times].sort());
    expect(before.tasks.map(({ id }) => id)).toContain(between);
    expect(after.tasks[0]).toMatchObject({ id: old, status: { state: 'TASK_STATE_COMPLETED' } });
  });

  test(verifies('L-04', 'artifacts are omitted by default'), async () => {
    const server = await startServer();
    await makeTasks(server, 1);

    for (const query of [{}, { includeArtifacts: false }]) {
      const { tasks } = page(await server.ask(list(query)));
      expect(tasks).toHaveLength(1);
      expect(tasks[0]).not.toHaveProperty('artifacts');
    }
  });

  test(verifies('L-05', 'with includeArtifacts, a task without artifacts has an empty array'), async () => {
    const server = await startServer();
    await makeTasks(server, 1);
    await sendTask(server, format, { text: 'fail' });

    const { tasks } = page(await server.ask(list({ includeArtifacts: true })));

    const artifacts = Object.fromEntries(tasks.map((task) => [task.status.state, task.artifacts]));
    expect(artifacts).toEqual({
      TASK_STATE_FAILED: [],
      TASK_STATE_COMPLETED: [{ artifactId: 'echo', name: 'echo', parts: [{ text: 'task 0' }] }],
    });
  });

  test(verifies('L-06', 'a page has 50 tasks by default, and up to 100'), async () => {
    const server = await startServer();
    await makeTasks(server, 101);

    const usual = page(await server.ask(list({})));
    const most = page(await server.ask(list({ pageSize: 100 })));
    const least = page(await server.ask(list({ pageSize: 1 })));

    expect([usual, most, least].map(({ tasks, pageSize }) => [tasks.length, pageSize])).toEqual([
      [50, 50],
      [100, 100],
      [1, 1],
    ]);
    for (const { totalSize } of [usual, most, least]) expect(totalSize).toBe(101);
  });

  test(verifies('L-08', 'contextId and status filter the tasks, also together'), async () => {
    const server = await startServer();
    const done = await sendTask(server, format, { text: 'hello', contextId: 'one' });
    const asked = await sendTask(server, format, { text: 'ask', contextId: 'one' });
    const other = await sendTask(server, format, { text: 'hello', contextId: 'two' });

    const idsOf = async (query: Query): Promise<readonly string[]> =>
      page(await server.ask(list(query)))
        .tasks.map(({ id }) => id)
        .sort();

    expect(await idsOf({ contextId: 'one' })).toEqual([done.id, asked.id].sort());
    expect(await idsOf({ contextId: 'three' })).toEqual([]);
    expect(await idsOf({ status: 'TASK_STATE_COMPLETED' })).toEqual([done.id, other.id].sort());
    expect(await idsOf({ status: 'TASK_STATE_INPUT_REQUIRED', contextId: 'one' })).toEqual([asked.id]);
    expect(await idsOf({ status: 'TASK_STATE_INPUT_REQUIRED', contextId: 'two' })).toEqual([]);
    expect(await idsOf({ status: 'TASK_STATE_UNSPECIFIED' })).toHaveLength(3);
  });

  test(verifies('L-08', 'statusTimestampAfter includes the time itself'), async () => {
    const server = await startServer();
    const { time } = await sendTask(server, format, { text: 'hello' });
    const later = new Date(Date.parse(time) + 1).toISOString();
    const elsewhere = `${time.slice(0, -1)}+00:00`;

    const count = async (moment: string): Promise<number> =>
      page(await server.ask(list({ statusTimestampAfter: moment }))).totalSize;

    expect(await count(time)).toBe(1);
    expect(await count(elsewhere)).toBe(1);
    expect(await count(later)).toBe(0);
    expect(await count('1970-01-01T00:00:00Z')).toBe(1);
  });

  test.each<{ readonly query: Query; readonly field: string }>([
    { query: { pageSize: 0 }, field: 'pageSize' },
    { query: { pageSize: 101 }, field: 'pageSize' },
    { query: { pageSize: -1 }, field: 'pageSize' },
    { query: { pageSize: 1.5 }, field: 'pageSize' },
    { query: { status: 'TASK_STATE_HAPPY' }, field: 'status' },
    { query: { status: 'completed' }, field: 'status' },
    { query: { historyLength: -1 }, field: 'historyLength' },
    { query: { statusTimestampAfter: 'yesterday' }, field: 'statusTimestampAfter' },
    { query: { includeArtifacts: 'perhaps' }, field: 'includeArtifacts' },
    { query: { pageToken: 'made-up' }, field: 'pageToken' },
  ])(verifies('L-09', '$query gets INVALID_PARAMS'), async ({ query, field }) => {
    const server = await startServer();

    const error = format.error(await server.ask(list(query)));

    expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: [field] });
  });

  test(verifies('L-09', 'the page token of another list, or a changed one, gets INVALID_PARAMS'), async () => {
    const server = await startServer();
    await makeTasks(server, 3);
    const { nextPageToken } = page(await server.ask(list({ pageSize: 1 })));

    for (const query of [
      { pageToken: nextPageToken, status: 'TASK_STATE_COMPLETED' },
      { pageToken: nextPageToken, tenant: 'another' },
      { pageToken: `${nextPageToken}x` },
    ]) {
      expect(format.error(await server.ask(list(query)))).toMatchObject({ fields: ['pageToken'] });
    }
    expect(page(await server.ask(list({ pageToken: nextPageToken }))).tasks).toHaveLength(2);
  });

  test('the list has working tasks, and no replies without a task', async () => {
    const server = await startServer();
    const { id } = await holdTask(server, format);
    await server.ask(format.send({ text: 'reply hello' }));

    const { tasks } = page(await server.ask(list({})));
    server.release();

    expect(tasks).toMatchObject([{ id, status: { state: 'TASK_STATE_WORKING' } }]);
  });
});

test.each(['0.3', '0.2', '0.1'])('%s has no method tasks/list', async (version) => {
  const server = await startServer();

  const { json } = await server.ask(rpc(version, 'tasks/list', {}));

  expect(json).toMatchObject({ error: { code: -32601 } });
});
