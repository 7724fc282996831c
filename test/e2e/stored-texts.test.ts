/** Responses of 1.0 that a store has as texts: they must not differ from those that are encoded from the parsed task. */
import { afterAll, expect, test } from 'vitest';

import type { Message } from '../../src/model/message.ts';
import { TRANSITIONS } from '../../src/model/transitions.ts';
import { agent, createHandler, memoryStore } from '../../src/server/index.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { NewTask, Store, TaskWrite } from '../../src/store/store.ts';
import { scratchFolder } from '../store/sqlite-driver.ts';
import { recordingLog } from '../helpers/recording-log.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

const START = Date.parse('2026-03-12T10:00:00.000Z');
const OWNER = { tenant: '', owner: 'anonymous' };

function said(messageId: string, changes: Partial<Message> = {}): Message {
  return { messageId, role: 'ROLE_USER', parts: [{ text: `text of ${messageId}` }], ...changes };
}

function task(id: string, changes: Partial<NewTask> = {}): NewTask {
  return {
    ...OWNER,
    id,
    contextId: `context "of" ${id}`,
    agent: 'echo',
    status: { state: 'TASK_STATE_WORKING', timestamp: new Date(START + id.length).toISOString() },
    origin: {},
    message: said(`first of ${id}`),
    event: { kind: 'task', body: '{"task":{}}' },
    createdAt: START,
    wakeAt: START * 2,
    ...changes,
  };
}

function end(artifacts: unknown = []): Omit<TaskWrite, 'taskId' | 'guard'> {
  const status = { state: 'TASK_STATE_COMPLETED', timestamp: new Date(START).toISOString() } as const;
  return { status, endedAt: START, artifacts: JSON.stringify(artifacts) };
}

const chunk = (text: string): string =>
  JSON.stringify({ artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text }] } } });

/** One task for each form that the parts of a task can have. */
const TASKS: Readonly<Record<string, readonly [NewTask, ...Omit<TaskWrite, 'taskId' | 'guard'>[]]>> = {
  ended: [task('ended', { metadata: { a: [1, 'b', null] } }), end([{ artifactId: 'a', parts: [{ text: 'done' }] }])],
  chat: [
    task('chat'),
    ...Array.from({ length: 20 }, (_, i) => ({ history: [said(`"${i}",{`)] })),
    end([{ artifactId: 'a', parts: [{ text: 'done' }] }]),
  ],
  'unknown members': [
    task('unknown members'),
    {
      history: [
        said('x', { unknownMembers: { version: '1.0', members: { priority: 'high' } } }),
        said('y', { parts: [{ text: 'z', unknownMembers: { version: '0.3', members: { lost: true } } }] }),
      ],
    },
    end(),
  ],
  'names of members in a text': [
    task('names', { message: said('n', { parts: [{ text: '"unknownMembers":' }] }) }),
    end(),
  ],
  'a part per chunk': [
    task('chunks'),
    end([{ artifactId: 'a', parts: [{ text: 'one ' }, { text: 'two' }, { data: [{ a: 1 }, { b: 2 }] }] }]),
  ],
  'several artifacts': [
    task('several'),
    end([
      { artifactId: 'a', parts: [{ text: 'one' }] },
      { artifactId: 'b', parts: [{ text: '},{"text":"x' }] },
    ]),
  ],
  'an artifact that is being written': [
    task('writing'),
    { events: [{ kind: 'artifact', body: chunk('one ') }] },
    { events: [{ kind: 'artifact', body: chunk('two') }] },
  ],
  'a large history': [
    task('large'),
    ...Array.from({ length: 9 }, (_, i) => ({ history: [said(`m-${i}`, { parts: [{ text: 'x'.repeat(2 ** 20) }] })] })),
    end([{ artifactId: 'a', parts: [{ text: 'done' }] }]),
  ],
  'a history and artifacts that are large together': [
    task('large together'),
    ...Array.from({ length: 5 }, (_, i) => ({ history: [said(`m-${i}`, { parts: [{ text: 'x'.repeat(2 ** 20) }] })] })),
    end([{ artifactId: 'a', parts: [{ text: 'y'.repeat(5 * 2 ** 20) }] }]),
  ],
  provisional: [{ ...task('provisional'), event: undefined } as unknown as NewTask],
  'another agent': [task('other', { agent: 'painter' }), end()],
  'another owner': [task('theirs', { owner: 'bob' }), end()],
};

const echo = agent({ id: 'echo', name: 'Echo', description: 'Repeats.', run: ({ text }) => text });

async function fill(store: Store): Promise<Store> {
  for (const [created, ...writes] of Object.values(TASKS)) {
    await store.create(created);
    for (const write of writes) await store.append({ taskId: created.id, guard: {}, ...write });
  }
  return store;
}

/** The bodies of the responses to the same requests. */
async function responses(store: Store): Promise<ReadonlyMap<string, string>> {
  const log = recordingLog();
  const handler = createHandler(echo, { store, log, stateTransitionHistory: true });
  const bodies = new Map<string, string>();
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const ask = async (name: string, path: string, init: RequestInit): Promise<void> => {
    const response = await handler.fetch(new Request(`http://localhost${path}`, init));
    bodies.set(name, `${response.status} ${(await response.text()).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')}`);
  };
  const rpc = (method: string, params: object): Promise<void> =>
    ask(`${method} ${JSON.stringify(params)}`, '/', {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  for (const [{ id }] of Object.values(TASKS)) {
    for (const historyLength of [undefined, 0, 1, 2, 20, 21, 22]) await rpc('GetTask', { id, historyLength });
    await ask(`GET ${id}`, `/tasks/${encodeURIComponent(id)}`, { headers });
    const extended = { ...headers, 'a2a-extensions': TRANSITIONS.uri };
    await ask(`GET ${id} with transitions`, `/tasks/${encodeURIComponent(id)}`, { headers: extended });
  }
  for (const historyLength of [undefined, 0, 2]) {
    for (const includeArtifacts of [undefined, true]) await rpc('ListTasks', { historyLength, includeArtifacts });
    await rpc('ListTasks', { historyLength, pageSize: 3 });
    await rpc('ListTasks', { historyLength, status: 'TASK_STATE_COMPLETED' });
  }
  await ask('GET list', '/tasks?historyLength=0&pageSize=2', { headers });
  await handler.close();
  return bodies;
}

test('a 1.0 response from texts of the store is the response that is encoded from the task, byte for byte', async () => {
  const stored = await fill(sqlite(scratch.file()));
  const parsed = await fill(memoryStore());

  const [fromTexts, fromTasks] = [await responses(stored), await responses(parsed)];

  for (const [name, body] of fromTasks) expect([name, fromTexts.get(name)]).toEqual([name, body]);
  expect(fromTexts.get('GetTask {"id":"ended"}')).toContain('"text":"done"');
  expect(fromTexts.get('GetTask {"id":"unknown members"}')).toContain('"priority":"high"');
  expect(fromTexts.get('GetTask {"id":"unknown members"}')).not.toContain('unknownMembers');
  expect(fromTexts.get('GetTask {"id":"chunks"}')).toContain('"text":"one two"');
  expect(fromTexts.get('GetTask {"id":"large"}')).toContain('{"omitted":');
  expect(fromTexts.get('GetTask {"id":"large together"}')).toContain('{"omitted":');
  for (const id of ['provisional', 'other', 'theirs'])
    expect(fromTexts.get(`GetTask {"id":"${id}"}`)).toContain('TASK_NOT_FOUND');
  expect(fromTexts.get('GET ended with transitions')).toContain(TRANSITIONS.uri);
  expect(fromTexts.get('ListTasks {}')).toContain('"totalSize":9');
  await stored.close();
  await parsed.close();
});
