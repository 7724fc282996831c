/** Writes of a run to a task that is taken to be as its last write has left it: one round trip, and what if it is not so. */
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { Store, TaskWrite } from '../../src/store/store.ts';
import {
  ALICE,
  entry,
  event,
  message,
  newTask,
  provisionalTask,
  status,
} from '../../src/testing/store-contract/samples.ts';
import { type DatabaseProxy, type Interference, proxyTo } from './proxy.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

const other = schema.open();

const NODE = 'node-a';
const LEASE = { node: NODE, fence: 1 };
const CUT_OFF = { name: 'A2AError', code: 'UNAVAILABLE', retryAfterMs: 1000 };

const chunk = (name: string): TaskWrite => own({ events: [event(name, 'artifact')] });
/** As the run of task `a` writes it. */
const own = (write: Partial<TaskWrite>): TaskWrite => ({ taskId: 'a', by: NODE, guard: { lease: LEASE }, ...write });

interface Watched {
  readonly store: Store;
  readonly proxy: DatabaseProxy;
  /** How often a transaction has looked first, and how often it did not. */
  counts(): { readonly looked: number; readonly ahead: number };
}

/** A statement with a name that is run, or one that has none yet. */
const LOOKS = /\0lock tasks\0|[^s]\0SELECT t\.seq[^\0]*FOR UPDATE\0/g;
const GOES_AHEAD = /\0lock known\0/g;

function count(said: string, what: RegExp): number {
  return [...said.matchAll(what)].length;
}

/** A store whose task `a` is run by its node, and known. */
async function running({ onAnswer, onQuestion }: Interference = {}): Promise<Watched> {
  let said = '';
  const proxy = await proxyTo(schema.url, {
    ...(onAnswer && { onAnswer }),
    onQuestion: (bytes) => {
      said += bytes.toString('latin1');
      return onQuestion?.(bytes);
    },
  });
  const store = schema.connect({}, proxy.url);
  await store.create(newTask('a', { node: NODE }));
  await store.append(chunk('first'));
  const start = { looked: count(said, LOOKS), ahead: count(said, GOES_AHEAD) };
  const counts = (): typeof start => ({
    looked: count(said, LOOKS) - start.looked,
    ahead: count(said, GOES_AHEAD) - start.ahead,
  });
  return { store, proxy, counts };
}

async function names(store: Store): Promise<readonly string[]> {
  return (await store.events('a', 1, 100)).map(({ body }) => (JSON.parse(body) as { name: string }).name);
}

test('what a run says goes to the database at once, and nothing is asked first', async () => {
  const { store, counts } = await running();
  for (const name of ['2', '3']) await store.append(chunk(name));
  await store.append(own({ journal: [entry('step')] }));
  await store.append(own({ status: status('TASK_STATE_WORKING', 5), events: [event('4')], history: [message('m')] }));
  const ended = await store.append(own({ status: status('TASK_STATE_COMPLETED'), endedAt: 1, events: [event('end')] }));

  expect(counts()).toEqual({ looked: 0, ahead: 5 });
  expect(ended).toMatchObject({
    kind: 'appended',
    firstEvent: 6,
    record: { lastEvent: 6, lastJournal: 1, endedAt: 1 },
  });
  expect(await names(other)).toEqual(['first', '2', '3', '4', 'end']);
  expect(await other.read(ALICE, 'a')).toMatchObject({ record: { lastEvent: 6, endedAt: 1 } });
});

test('several runs share a transaction of this kind', async () => {
  const { store, counts } = await running();
  await store.create(newTask('b', { node: NODE }));
  const before = counts();
  const both = [store.append(chunk('2')), store.append({ ...chunk('b2'), taskId: 'b' }), store.append(chunk('3'))];

  expect(await Promise.all(both)).toMatchObject([{ firstEvent: 3 }, { firstEvent: 2 }, { firstEvent: 4 }]);
  expect(counts()).toEqual({ ...before, ahead: before.ahead + 1 });
});

interface Meddling {
  readonly what: string;
  readonly meddle: () => Promise<unknown>;
  readonly result: unknown;
  readonly events: readonly string[];
}

const MEDDLING: readonly Meddling[] = [
  {
    what: 'has wanted it to be canceled',
    meddle: () => other.append({ taskId: 'a', by: 'b', guard: {}, canceling: true }),
    result: { kind: 'appended', firstEvent: 3, record: { canceling: true } },
    events: ['first', 'mine'],
  },
  {
    what: 'has sent it a message',
    meddle: () =>
      other.append({ taskId: 'a', by: 'b', guard: {}, history: [message('m')], journal: [entry('message')] }),
    result: { kind: 'appended', firstEvent: 3, record: { lastJournal: 1 } },
    events: ['first', 'mine'],
  },
  {
    what: 'has said something, which changes nothing else',
    meddle: () => other.append({ taskId: 'a', by: 'b', guard: {}, events: [event('theirs')] }),
    result: { kind: 'appended', firstEvent: 4 },
    events: ['first', 'theirs', 'mine'],
  },
  {
    what: 'has told its journal something, which changes nothing else',
    meddle: () => other.append({ taskId: 'a', by: 'b', guard: {}, journal: [entry('theirs')] }),
    result: { kind: 'appended', firstEvent: 3, record: { lastJournal: 1 } },
    events: ['first', 'mine'],
  },
  {
    what: 'has spoken under the same lease',
    meddle: () => other.append(chunk('theirs')),
    result: { kind: 'appended', firstEvent: 4 },
    events: ['first', 'theirs', 'mine'],
  },
  {
    what: 'has a push configuration there',
    meddle: () => other.putPushConfig(ALICE, 'a', { id: 'p', config: { url: '' }, dialect: '', createdAt: 0 }, 1),
    result: { kind: 'appended', record: { pushed: true } },
    events: ['first', 'mine'],
  },
  {
    what: 'runs it now',
    meddle: () => other.claim({ node: 'node-b', agents: ['translator'], limit: 1 }),
    result: { kind: 'rejected', record: { node: 'node-b', fence: 2 } },
    events: ['first'],
  },
  {
    what: 'has ended it',
    meddle: () => other.append({ taskId: 'a', by: 'b', guard: {}, status: status('TASK_STATE_CANCELED'), endedAt: 1 }),
    result: { kind: 'rejected', record: { endedAt: 1 } },
    events: ['first'],
  },
];

test.for(MEDDLING)('a run that another node $what writes as if it had looked', async ({ meddle, result, events }) => {
  const { store, counts } = await running();
  await meddle();

  expect(await store.append(chunk('mine'))).toMatchObject(result as object);
  expect(await names(store)).toEqual(events);
  expect(counts()).toEqual({ looked: 1, ahead: 1 });
});

test('whose write was refused for another reason than its own finds the others stored', async () => {
  const { store } = await running();
  await store.create(newTask('b', { node: NODE }));
  await other.append({ taskId: 'b', guard: {}, revoke: true });
  const both = [store.append(chunk('2')), store.append({ ...chunk('b2'), taskId: 'b' })];

  expect(await Promise.all(both)).toMatchObject([{ kind: 'appended' }, { kind: 'rejected' }]);
  expect(await names(store)).toEqual(['first', '2']);
});

test('nothing is told of a write that was not stored', async () => {
  const { store, counts } = await running();
  const heard: unknown[] = [];
  const watcher = schema.connect();
  watcher.watch((_taskId, by, _isLeft, progress) => heard.push([by, progress?.()?.lastEvent]));
  await vi.waitFor(async () => {
    await store.append(own({}));
    expect(heard).toContainEqual([NODE, 2]);
  });
  await other.claim({ node: 'node-b', agents: ['translator'], limit: 1 });
  const { ahead } = counts();
  expect(await store.append(chunk('mine'))).toMatchObject({ kind: 'rejected' });
  expect(counts().ahead).toBe(ahead + 1);
  await store.append({ taskId: 'a', by: 'last', guard: {} });
  await vi.waitFor(() => expect(heard).toContainEqual(['last', 2]));

  expect(heard).not.toContainEqual([NODE, 3]);
});

const callers: readonly [string, Partial<TaskWrite>][] = [
  ['a caller', { guard: {} }],
  ['a caller who may come twice', { idempotency: { key: 'k', digest: 'd', keepUntil: 0 } }],
  ['one who asks whether its node lives', { guard: { lease: LEASE, idle: true } }],
];
test.for(callers)('what %s writes is looked up first', async ([, write]) => {
  const { store, counts } = await running();
  await store.append(own(write));
  expect(counts()).toEqual({ looked: 1, ahead: 0 });
});

test('a reply in the place of a task is looked up first: if nothing is heard of it, no run can begin anew', async () => {
  const { store, counts } = await running();
  await store.create(provisionalTask('b', { node: NODE }));
  const { looked } = counts();
  expect(await store.dropForReply('b', LEASE, message('reply'))).toBe(true);
  expect(counts()).toEqual({ looked: looked + 1, ahead: 0 });
});

test('what is known counts on no connection that was made later', async () => {
  const { store, proxy, counts } = await running();
  proxy.cut();
  // Reads find out who answers on a new one.
  await vi.waitFor(() => store.read(ALICE, 'a', { history: 0 }));
  for (let read = 0; read < 2; read += 1) await store.read(ALICE, 'a', { history: 0 });
  await store.append(chunk('again'));
  expect(counts()).toEqual({ looked: 1, ahead: 0 });
  await vi.waitFor(async () => {
    await store.append(own({}));
    expect(counts()).toMatchObject({ ahead: 1 });
  });
  expect(await names(store)).toEqual(['first', 'again']);
});

/** Cuts the line as soon as the database has said this, and keeps the answer from coming through. */
function cutAt(words: string): {
  readonly line: { isToBeCut: boolean; cut: () => void };
  readonly onAnswer: (bytes: Buffer) => Buffer;
} {
  const line = { isToBeCut: false, cut: () => {} };
  const onAnswer = (bytes: Buffer): Buffer => {
    if (!line.isToBeCut || !bytes.includes(words)) return bytes;
    line.isToBeCut = false;
    // What came before it in the same packet has been said.
    setImmediate(line.cut);
    return bytes.subarray(0, bytes.indexOf(words) - 5);
  };
  return { line, onAnswer };
}

interface LostAnswer {
  readonly what: string;
  readonly write: (store: Store) => Promise<unknown>;
  readonly result: unknown;
}

const append = (write: Partial<TaskWrite>): Pick<LostAnswer, 'write' | 'result'> => ({
  write: (store) => store.append(own(write)),
  result: { kind: 'appended' },
});

const LOST_ANSWERS: readonly LostAnswer[] = [
  { what: 'an event', ...append({ events: [event('said')] }) },
  { what: 'what a run remembers', ...append({ journal: [entry('step')] }) },
  { what: 'a time to wake up', ...append({ wakeAt: 5, release: true }) },
  { what: 'a snapshot of artifacts', ...append({ artifacts: '[]' }) },
  { what: 'an end', ...append({ status: status('TASK_STATE_COMPLETED'), endedAt: 1 }) },
];

test.for(LOST_ANSWERS)('the answer to $what is found out if it was lost', async ({ write, result }) => {
  const { line, onAnswer } = cutAt('COMMIT\0');
  const { store, proxy, counts } = await running({ onAnswer });
  Object.assign(line, { isToBeCut: true, cut: proxy.cut });

  await expect(write(store)).resolves.toMatchObject(result as object);
  expect(line.isToBeCut).toBe(false);
  expect(counts()).toEqual({ looked: 0, ahead: 1 });
});

test('others are told of a write whose answer was lost, and with it its hint', async () => {
  const { line, onAnswer } = cutAt('COMMIT\0');
  // The hint does not get to the database, as if that had died right after the commit.
  const onQuestion = (bytes: Buffer): Buffer => {
    const hint = bytes.indexOf('\0notify ahead\0');
    return line.isToBeCut && hint >= 0 ? bytes.subarray(0, hint - 5) : bytes;
  };
  const { store, proxy } = await running({ onAnswer, onQuestion });
  const heard: unknown[] = [];
  schema.connect().watch((_taskId, _by, _isLeft, progress) => heard.push(progress?.()?.lastEvent));
  await vi.waitFor(async () => {
    await store.append(own({}));
    expect(heard).toContain(2);
  });
  Object.assign(line, { isToBeCut: true, cut: proxy.cut });
  await store.append(chunk('said'));

  expect(line.isToBeCut).toBe(false);
  await vi.waitFor(() => expect(heard).toContain(3));
});

test('a write of which nothing was heard is not told of as done, and whoever takes the task over finds it', async () => {
  const line = { isWatched: false, isMuted: false };
  const { store, proxy } = await running({
    onQuestion: (bytes) => void (line.isMuted ||= line.isWatched && count(bytes.toString('latin1'), GOES_AHEAD) > 0),
    onAnswer: (bytes) => (line.isMuted ? Buffer.alloc(0) : bytes),
  });
  line.isWatched = true;
  const unsure = store.append(chunk('unsure'));
  await vi.waitFor(async () => expect(await names(other)).toContain('unsure'));
  expect(line.isMuted).toBe(true);
  proxy.cut();
  await expect(unsure).rejects.toMatchObject(CUT_OFF);
  line.isWatched = line.isMuted = false;

  const [claimed] = await vi.waitFor(() => store.claim({ node: NODE, agents: ['translator'], limit: 1 }));
  expect(claimed).toMatchObject({ id: 'a', lastEvent: 3, fence: 2 });
  const lease = { node: NODE, fence: 2 };
  expect(await store.append(own({ guard: { lease }, events: [event('next')] }))).toMatchObject({ firstEvent: 4 });
  expect(await names(store)).toEqual(['first', 'unsure', 'next']);
});

/** So long that the bytes stay as many. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const NONSENSE = BEGIN.replace('BEGIN', 'BEGUN');

/** Transactions of this store do not begin as long as they are to fail. */
async function failing(
  onAnswer?: Interference['onAnswer'],
): Promise<Watched & { readonly begin: { isToFail: boolean } }> {
  const begin = { isToFail: false };
  const onQuestion = (bytes: Buffer): Buffer => {
    const at = begin.isToFail ? bytes.indexOf(BEGIN) : -1;
    if (at >= 0) bytes.write(NONSENSE, at);
    return bytes;
  };
  return { ...(await running({ onQuestion, ...(onAnswer && { onAnswer }) })), begin };
}

test.for<[string, TaskWrite]>([
  ['something', chunk('lost')],
  ['nothing', own({})],
])('a write of %s fails as a whole if its transaction could not begin', async ([, write]) => {
  const { store, counts, begin } = await failing();
  const heard: unknown[] = [];
  schema.connect().watch((_taskId, _by, _isLeft, progress) => heard.push(progress?.()?.lastEvent));
  await vi.waitFor(async () => {
    await store.append(own({}));
    expect(heard).toContain(2);
  });
  const { ahead } = counts();
  begin.isToFail = true;
  await expect(store.append(write)).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: { code: '42601' } });
  begin.isToFail = false;

  expect(counts()).toMatchObject({ ahead: ahead + 1 });
  expect(await names(other)).toEqual(['first']);
  expect(heard).not.toContain(3);
  await store.append(chunk('next'));
  expect(await names(other)).toEqual(['first', 'next']);
});

/** The end of an answer. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

test('a connection that is lost after its store was closed ends no process', async () => {
  const line = { isMuted: false };
  // Only the first answer comes through, so that the connection waits for the others to end.
  const onAnswer = (bytes: Buffer): Buffer => {
    if (line.isMuted) return Buffer.alloc(0);
    line.isMuted = bytes.includes('BEGUN');
    return line.isMuted ? bytes.subarray(0, bytes.indexOf(READY) + 6) : bytes;
  };
  const { store, proxy, begin } = await failing(onAnswer);
  begin.isToFail = true;
  await expect(store.append(chunk('lost'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await store.close();
  expect(line.isMuted).toBe(true);
  proxy.cut();

  // Whatever comes of that has come before the answers to these.
  for (let asked = 0; asked < 20; asked += 1) expect(await names(other)).toEqual(['first']);
});
