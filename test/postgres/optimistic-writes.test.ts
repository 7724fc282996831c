/** Optimistic writes of a run: one round trip if its task has not changed since its last write, and a read first otherwise. */
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { Store, TaskWrite } from '../../src/store/store.ts';
import { callOf, newCall } from '../../src/testing/store-contract/calls/samples.ts';
import {
  ALICE,
  entry,
  event,
  message,
  newTask,
  provisionalTask,
  status,
} from '../../src/testing/store-contract/samples.ts';
import { type DatabaseProxy, type ProxyHooks, proxyTo } from './proxy.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

const other = schema.open();

const NODE = 'node-a';
const LEASE = { node: NODE, fence: 1 };
const UNAVAILABLE = { name: 'A2AError', code: 'UNAVAILABLE', retryAfterMs: 1000 };

const chunk = (name: string): TaskWrite => byRun({ events: [event(name, 'artifact')] });
/** A write by the run of task `a`. */
const byRun = (write: Partial<TaskWrite>): TaskWrite => ({ taskId: 'a', by: NODE, guard: { lease: LEASE }, ...write });

interface ObservedStore {
  readonly store: Store;
  readonly proxy: DatabaseProxy;
  /** The number of transactions that read the task first, and of those that did not. */
  counts(): { readonly reading: number; readonly optimistic: number };
}

/** The execution of a prepared statement, or of one without a name. */
const READS_FIRST = /\0lock tasks\0|[^s]\0SELECT t\.seq[^\0]*FOR UPDATE\0/g;
const IS_OPTIMISTIC = /\0lock known\0/g;

function count(sent: string, what: RegExp): number {
  return [...sent.matchAll(what)].length;
}

/** A store that runs task `a`, and knows its state. */
async function running({ onResponse, onRequest }: ProxyHooks = {}): Promise<ObservedStore> {
  let sent = '';
  const proxy = await proxyTo(schema.url, {
    ...(onResponse && { onResponse }),
    onRequest: (bytes) => {
      sent += bytes.toString('latin1');
      return onRequest?.(bytes);
    },
  });
  const store = schema.connect({}, proxy.url);
  await store.create(newTask('a', { node: NODE }));
  await store.append(chunk('first'));
  const start = { reading: count(sent, READS_FIRST), optimistic: count(sent, IS_OPTIMISTIC) };
  const counts = (): typeof start => ({
    reading: count(sent, READS_FIRST) - start.reading,
    optimistic: count(sent, IS_OPTIMISTIC) - start.optimistic,
  });
  return { store, proxy, counts };
}

async function names(store: Store): Promise<readonly string[]> {
  return (await store.events('a', 1, 100)).map(({ body }) => (JSON.parse(body) as { name: string }).name);
}

test('writes of a run need no read of its task', async () => {
  const { store, counts } = await running();
  for (const name of ['2', '3']) await store.append(chunk(name));
  await store.append(byRun({ journal: [entry('step')] }));
  await store.append(byRun({ status: status('TASK_STATE_WORKING', 5), events: [event('4')], history: [message('m')] }));
  const ended = await store.append(
    byRun({ status: status('TASK_STATE_COMPLETED'), endedAt: 1, events: [event('end')] }),
  );

  expect(counts()).toEqual({ reading: 0, optimistic: 5 });
  expect(ended).toMatchObject({
    kind: 'appended',
    firstEvent: 6,
    record: { lastEvent: 6, lastJournal: 1, endedAt: 1 },
  });
  expect(await names(other)).toEqual(['first', '2', '3', '4', 'end']);
  expect(await other.read(ALICE, 'a')).toMatchObject({ record: { lastEvent: 6, endedAt: 1 } });
});

test('the calls of a run, and the end of a task that a call has created, need no read of the task', async () => {
  const { store, counts } = await running();
  await store.create(newTask('child', { node: NODE, callId: 'call' }));
  await store.append({ ...chunk('x'), taskId: 'child' });
  const before = counts();
  const calls = [newCall('call', { dueAt: 1e15 })];
  await store.append(byRun({ journal: [entry('call')], calls }));
  await store.append({ ...byRun({ endedAt: 1, status: status('TASK_STATE_COMPLETED') }), taskId: 'child' });

  expect(counts()).toEqual({ reading: before.reading, optimistic: before.optimistic + 2 });
  expect((await other.read(ALICE, 'a'))?.record.openCalls).toBe(1);
  expect((await callOf(other, 'call')).dueAt).toBeLessThan(1e15);

  // The outcome needs to know whether the call is open.
  await expect(store.append(byRun({ guard: { lease: LEASE, call: 'call' }, endsCall: 'call' }))).resolves.toMatchObject(
    {
      kind: 'appended',
    },
  );
  expect(counts().reading).toBe(before.reading + 1);
});

test('several runs share an optimistic transaction', async () => {
  const { store, counts } = await running();
  await store.create(newTask('b', { node: NODE }));
  const before = counts();
  const both = [store.append(chunk('2')), store.append({ ...chunk('b2'), taskId: 'b' }), store.append(chunk('3'))];

  expect(await Promise.all(both)).toMatchObject([{ firstEvent: 3 }, { firstEvent: 2 }, { firstEvent: 4 }]);
  expect(counts()).toEqual({ ...before, optimistic: before.optimistic + 1 });
});

interface ForeignWrite {
  readonly what: string;
  readonly write: () => Promise<unknown>;
  readonly result: unknown;
  readonly events: readonly string[];
}

const FOREIGN_WRITES: readonly ForeignWrite[] = [
  {
    what: 'requested its cancellation',
    write: () => other.append({ taskId: 'a', by: 'b', guard: {}, canceling: true }),
    result: { kind: 'appended', firstEvent: 3, record: { canceling: true } },
    events: ['first', 'mine'],
  },
  {
    what: 'stored a message for it',
    write: () =>
      other.append({ taskId: 'a', by: 'b', guard: {}, history: [message('m')], journal: [entry('message')] }),
    result: { kind: 'appended', firstEvent: 3, record: { lastJournal: 1 } },
    events: ['first', 'mine'],
  },
  {
    what: 'stored an event of it',
    write: () => other.append({ taskId: 'a', by: 'b', guard: {}, events: [event('theirs')] }),
    result: { kind: 'appended', firstEvent: 4 },
    events: ['first', 'theirs', 'mine'],
  },
  {
    what: 'stored a journal entry of it',
    write: () => other.append({ taskId: 'a', by: 'b', guard: {}, journal: [entry('theirs')] }),
    result: { kind: 'appended', firstEvent: 3, record: { lastJournal: 1 } },
    events: ['first', 'mine'],
  },
  {
    what: 'stored an event under the same lease',
    write: () => other.append(chunk('theirs')),
    result: { kind: 'appended', firstEvent: 4 },
    events: ['first', 'theirs', 'mine'],
  },
  {
    what: 'stored a push configuration for it',
    write: () => other.putPushConfig(ALICE, 'a', { id: 'p', config: { url: '' }, dialect: '', createdAt: 0 }, 1),
    result: { kind: 'appended', record: { pushed: true } },
    events: ['first', 'mine'],
  },
  {
    what: 'claimed it',
    write: () => other.claim({ node: 'node-b', agents: ['translator'], limit: 1 }),
    result: { kind: 'rejected', record: { node: 'node-b', fence: 2 } },
    events: ['first'],
  },
  {
    what: 'ended it',
    write: () => other.append({ taskId: 'a', by: 'b', guard: {}, status: status('TASK_STATE_CANCELED'), endedAt: 1 }),
    result: { kind: 'rejected', record: { endedAt: 1 } },
    events: ['first'],
  },
];

test.for(FOREIGN_WRITES)(
  'a run reads its task and writes correctly after another node $what',
  async ({ write, result, events }) => {
    const { store, counts } = await running();
    await write();

    expect(await store.append(chunk('mine'))).toMatchObject(result as object);
    expect(await names(store)).toEqual(events);
    expect(counts()).toEqual({ reading: 1, optimistic: 1 });
  },
);

test('a write is stored although an outdated write of another run fails their optimistic transaction', async () => {
  const { store } = await running();
  await store.create(newTask('b', { node: NODE }));
  await other.append({ taskId: 'b', guard: {}, revoke: true });
  const both = [store.append(chunk('2')), store.append({ ...chunk('b2'), taskId: 'b' })];

  expect(await Promise.all(both)).toMatchObject([{ kind: 'appended' }, { kind: 'rejected' }]);
  expect(await names(store)).toEqual(['first', '2']);
});

test('a rejected optimistic write sends no hint', async () => {
  const { store, counts } = await running();
  const received: unknown[] = [];
  const watcher = schema.connect();
  watcher.watch((_taskId, by, _isClaimable, progress) => received.push([by, progress?.()?.lastEvent]));
  await vi.waitFor(async () => {
    await store.append(byRun({}));
    expect(received).toContainEqual([NODE, 2]);
  });
  await other.claim({ node: 'node-b', agents: ['translator'], limit: 1 });
  const { optimistic } = counts();
  expect(await store.append(chunk('mine'))).toMatchObject({ kind: 'rejected' });
  expect(counts().optimistic).toBe(optimistic + 1);
  await store.append({ taskId: 'a', by: 'last', guard: {} });
  await vi.waitFor(() => expect(received).toContainEqual(['last', 2]));

  expect(received).not.toContainEqual([NODE, 3]);
});

const READING_WRITES: readonly [string, Partial<TaskWrite>][] = [
  ['without a lease', { guard: {} }],
  ['with an idempotency key', { idempotency: { key: 'k', digest: 'd', keepUntil: 0 } }],
  ['with the guard idle', { guard: { lease: LEASE, idle: true } }],
];
test.for(READING_WRITES)('a write %s reads its task first', async ([, write]) => {
  const { store, counts } = await running();
  await store.append(byRun(write));
  expect(counts()).toEqual({ reading: 1, optimistic: 0 });
});

test('a reply instead of a task reads the task first, because no run could repeat a lost one', async () => {
  const { store, counts } = await running();
  await store.create(provisionalTask('b', { node: NODE }));
  const { reading } = counts();
  expect(await store.dropForReply('b', LEASE, message('reply'))).toBe(true);
  expect(counts()).toEqual({ reading: reading + 1, optimistic: 0 });
});

test('the first write on a new connection reads its task first', async () => {
  const { store, proxy, counts } = await running();
  proxy.cut();
  // Reads find out which process serves a new connection.
  await vi.waitFor(() => store.read(ALICE, 'a', { history: 0 }));
  for (let read = 0; read < 2; read += 1) await store.read(ALICE, 'a', { history: 0 });
  await store.append(chunk('again'));
  expect(counts()).toEqual({ reading: 1, optimistic: 0 });
  await vi.waitFor(async () => {
    await store.append(byRun({}));
    expect(counts()).toMatchObject({ optimistic: 1 });
  });
  expect(await names(store)).toEqual(['first', 'again']);
});

/** Cuts the connection when the database responds with a text, which it does not forward. */
function cutAt(text: string): {
  readonly fault: { isArmed: boolean; cut: () => void };
  readonly onResponse: (bytes: Buffer) => Buffer;
} {
  const fault = { isArmed: false, cut: () => {} };
  const onResponse = (bytes: Buffer): Buffer => {
    if (!fault.isArmed || !bytes.includes(text)) return bytes;
    fault.isArmed = false;
    // The bytes before it in the same packet are forwarded.
    setImmediate(fault.cut);
    return bytes.subarray(0, bytes.indexOf(text) - 5);
  };
  return { fault, onResponse };
}

interface LostResponse {
  readonly what: string;
  readonly write: (store: Store) => Promise<unknown>;
  readonly result: unknown;
}

const append = (write: Partial<TaskWrite>): Pick<LostResponse, 'write' | 'result'> => ({
  write: (store) => store.append(byRun(write)),
  result: { kind: 'appended' },
});

const LOST_RESPONSES: readonly LostResponse[] = [
  { what: 'an event', ...append({ events: [event('output')] }) },
  { what: 'a journal entry', ...append({ journal: [entry('step')] }) },
  { what: 'a time to wake up', ...append({ wakeAt: 5, release: true }) },
  { what: 'a snapshot of artifacts', ...append({ artifacts: '[]' }) },
  { what: 'the end of a task', ...append({ status: status('TASK_STATE_COMPLETED'), endedAt: 1 }) },
];

test.for(LOST_RESPONSES)(
  'the store returns the result of an optimistic write of $what, although the response was lost',
  async ({ write, result }) => {
    const { fault, onResponse } = cutAt('COMMIT\0');
    const { store, proxy, counts } = await running({ onResponse });
    Object.assign(fault, { isArmed: true, cut: proxy.cut });

    await expect(write(store)).resolves.toMatchObject(result as object);
    expect(fault.isArmed).toBe(false);
    expect(counts()).toEqual({ reading: 0, optimistic: 1 });
  },
);

test('the store sends the hint of a write again if the response and the hint were lost', async () => {
  const { fault, onResponse } = cutAt('COMMIT\0');
  // The hint does not reach the database, as if it had crashed after the commit.
  const onRequest = (bytes: Buffer): Buffer => {
    const hint = bytes.indexOf('\0notify ahead\0');
    return fault.isArmed && hint >= 0 ? bytes.subarray(0, hint - 5) : bytes;
  };
  const { store, proxy } = await running({ onResponse, onRequest });
  const received: unknown[] = [];
  schema.connect().watch((_taskId, _by, _isClaimable, progress) => received.push(progress?.()?.lastEvent));
  await vi.waitFor(async () => {
    await store.append(byRun({}));
    expect(received).toContain(2);
  });
  Object.assign(fault, { isArmed: true, cut: proxy.cut });
  await store.append(chunk('output'));

  expect(fault.isArmed).toBe(false);
  await vi.waitFor(() => expect(received).toContain(3));
});

test('a stored write without a response fails, and the next claim of the task finds it', async () => {
  const link = { isObserved: false, isMuted: false };
  const { store, proxy } = await running({
    onRequest: (bytes) => void (link.isMuted ||= link.isObserved && count(bytes.toString('latin1'), IS_OPTIMISTIC) > 0),
    onResponse: (bytes) => (link.isMuted ? Buffer.alloc(0) : bytes),
  });
  link.isObserved = true;
  const unsure = store.append(chunk('unsure'));
  await vi.waitFor(async () => expect(await names(other)).toContain('unsure'));
  expect(link.isMuted).toBe(true);
  proxy.cut();
  await expect(unsure).rejects.toMatchObject(UNAVAILABLE);
  link.isObserved = link.isMuted = false;

  const [claimed] = await vi.waitFor(() => store.claim({ node: NODE, agents: ['translator'], limit: 1 }));
  expect(claimed).toMatchObject({ id: 'a', lastEvent: 3, fence: 2 });
  const lease = { node: NODE, fence: 2 };
  expect(await store.append(byRun({ guard: { lease }, events: [event('next')] }))).toMatchObject({ firstEvent: 4 });
  expect(await names(store)).toEqual(['first', 'unsure', 'next']);
});

/** Replaced by an invalid statement of the same length. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const INVALID = BEGIN.replace('BEGIN', 'BEGUN');

/** A store whose transactions fail to begin while `isToFail` is set. */
async function withFailingBegin(
  onResponse?: ProxyHooks['onResponse'],
): Promise<ObservedStore & { readonly begin: { isToFail: boolean } }> {
  const begin = { isToFail: false };
  const onRequest = (bytes: Buffer): Buffer => {
    const at = begin.isToFail ? bytes.indexOf(BEGIN) : -1;
    if (at >= 0) bytes.write(INVALID, at);
    return bytes;
  };
  return { ...(await running({ onRequest, ...(onResponse && { onResponse }) })), begin };
}

test.for<[string, TaskWrite]>([
  ['an event', chunk('lost')],
  ['nothing', byRun({})],
])('a write of %s fails and stores nothing if its transaction cannot begin', async ([, write]) => {
  const { store, counts, begin } = await withFailingBegin();
  const received: unknown[] = [];
  schema.connect().watch((_taskId, _by, _isClaimable, progress) => received.push(progress?.()?.lastEvent));
  await vi.waitFor(async () => {
    await store.append(byRun({}));
    expect(received).toContain(2);
  });
  const { optimistic } = counts();
  begin.isToFail = true;
  await expect(store.append(write)).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: { code: '42601' } });
  begin.isToFail = false;

  expect(counts()).toMatchObject({ optimistic: optimistic + 1 });
  expect(await names(other)).toEqual(['first']);
  expect(received).not.toContain(3);
  await store.append(chunk('next'));
  expect(await names(other)).toEqual(['first', 'next']);
});

/** The message ReadyForQuery, which ends a response. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

test('a connection that is lost after its store was closed does not crash the process', async () => {
  const link = { isMuted: false };
  // Only the first response is forwarded, so that the connection waits for the others.
  const onResponse = (bytes: Buffer): Buffer => {
    if (link.isMuted) return Buffer.alloc(0);
    link.isMuted = bytes.includes('BEGUN');
    return link.isMuted ? bytes.subarray(0, bytes.indexOf(READY) + 6) : bytes;
  };
  const { store, proxy, begin } = await withFailingBegin(onResponse);
  begin.isToFail = true;
  await expect(store.append(chunk('lost'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await store.close();
  expect(link.isMuted).toBe(true);
  proxy.cut();

  // An error of the connection would be emitted before these reads have ended.
  for (let reads = 0; reads < 20; reads += 1) expect(await names(other)).toEqual(['first']);
});
