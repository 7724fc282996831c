import { expect, onTestFinished, test } from 'vitest';
import {
  dialectFor,
  rawCall,
  streamOf,
  unwrapped,
  type WireFormat,
  WIRE_FORMATS,
} from '../../test/helpers/raw-call.ts';
import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Input, OperationName, Output } from '../model/operation.ts';
import { deferred } from '../support/deferred.ts';
import { decodeCard } from '../wire/card/served/card-forms.ts';
import { decodeResult } from '../wire/dialect.ts';
import { type FakePeer, fakePeer } from './fake-peer.ts';
import type { FakePeerOptions } from './fake-peer/peer.ts';

async function open(options: FakePeerOptions): Promise<FakePeer> {
  const peer = await fakePeer(options);
  onTestFinished(() => peer.close());
  return peer;
}

function say(text: string, more: Partial<Message> = {}): Input<'SendMessage'> {
  return { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }], ...more } };
}

/** In 0.1 the caller names the task. */
const taskIdIn = ({ version }: WireFormat): string => (version === '0.1' ? 'm1' : 'task-1');

async function call<K extends OperationName>(
  peer: FakePeer,
  format: WireFormat,
  operation: K,
  input: Input<K>,
): Promise<Output<K>> {
  const response = await rawCall(format, `${peer.url}/a2a`, operation, input);
  expect(response.status).toBe(200);
  return decodeResult(dialectFor(format), operation, unwrapped(format, await response.json()), { strict: true }).value;
}

async function events<K extends 'SendStreamingMessage' | 'SubscribeToTask'>(
  peer: FakePeer,
  format: WireFormat,
  operation: K,
  input: Input<K>,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const response = await rawCall(format, `${peer.url}/a2a`, operation, input, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const dialect = dialectFor(format);
  const items = (await streamOf(response)).map(
    (item) => decodeResult(dialect, operation, unwrapped(format, item), { strict: true }).value,
  );
  return items.map((item) => {
    if ('task' in item) return `task ${item.task.status.state}`;
    if ('message' in item) return `message ${JSON.stringify(item.message.parts)}`;
    if ('statusUpdate' in item) return item.statusUpdate.status.state;
    return item.artifactUpdate.artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
  });
}

/** 0.1 has no Task in a stream, but its status. */
const first = ({ version }: WireFormat, state = 'TASK_STATE_SUBMITTED'): string =>
  version === '0.1' ? state : `task ${state}`;

test.each(WIRE_FORMATS)(
  '$version over $binding: the card has the path and the format of the version',
  async (format) => {
    const peer = await open(format);
    const old = format.version === '0.1' || format.version === '0.2';
    const [path, other] = ['agent-card.json', 'agent.json'].sort((a) => ((a === 'agent.json') === old ? -1 : 1));

    expect((await fetch(`${peer.url}/.well-known/${other}`)).status).toBe(404);
    const { value, version } = decodeCard(await (await fetch(`${peer.url}/.well-known/${path}`)).json());

    expect(version).toBe(format.version);
    expect(value.supportedInterfaces).toMatchObject([{ url: `${peer.url}/a2a`, protocolBinding: format.binding }]);
    expect(peer.requests.map(({ operation }) => operation)).toEqual(['card', 'card']);
  },
);

test.each(WIRE_FORMATS)('$version over $binding: a text in the script becomes a completed task', async (format) => {
  const peer = await open({ ...format, script: ['Hello'] });

  const sent = await call(peer, format, 'SendMessage', say('hi'));
  const got = await call(peer, format, 'GetTask', { id: taskIdIn(format) });

  const task = { id: taskIdIn(format), status: { state: 'TASK_STATE_COMPLETED' } };
  expect(sent).toMatchObject({ task: { ...task, artifacts: [{ parts: [{ text: 'Hello' }] }] } });
  expect(got).toMatchObject(task);
  expect(peer.requests).toMatchObject([
    { operation: 'SendMessage', text: 'hi', acted: true, ...(format.version === '0.1' ? {} : { messageId: 'm1' }) },
    { operation: 'GetTask', taskId: taskIdIn(format), acted: true },
  ]);
  expect(peer.tasks).toHaveLength(1);
});

test.each(WIRE_FORMATS)('$version over $binding: steps are streamed one by one', async (format) => {
  const peer = await open({ ...format, script: [[{ status: 'working', text: 'Hm' }, 'Hel', 'lo']] });

  expect(await events(peer, format, 'SendStreamingMessage', say('hi'))).toEqual([
    first(format),
    'TASK_STATE_WORKING',
    'Hel',
    'lo',
    'TASK_STATE_COMPLETED',
  ]);
});

test('the first chunk of an artifact creates it, later chunks are appended', async () => {
  const [format] = WIRE_FORMATS as [WireFormat];
  const peer = await open({ ...format, script: [['Hel', 'lo', { artifact: 'b.txt', text: 'b', lastChunk: true }]] });

  const items = await streamOf(await rawCall(format, `${peer.url}/a2a`, 'SendStreamingMessage', say('hi')));

  const updates = items.flatMap(
    (item) => (unwrapped(format, item) as { artifactUpdate?: unknown }).artifactUpdate ?? [],
  );
  expect(updates).toEqual([
    expect.not.objectContaining({ append: true }),
    expect.objectContaining({ append: true }),
    expect.objectContaining({ lastChunk: true }),
  ]);
});

test.each(WIRE_FORMATS)('$version over $binding: a task continues after its question is answered', async (format) => {
  const question = [{ status: 'input-required' as const, text: 'Where to?' }];
  const peer = await open({ ...format, script: [question, ({ text, number }) => `${text} it is (${number})`] });
  const taskId = taskIdIn(format);

  const asked = await call(peer, format, 'SendMessage', say('Book'));
  const answered = await call(peer, format, 'SendMessage', say('Rome', { messageId: 'm2', taskId }));

  expect(asked).toMatchObject({ task: { id: taskId, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
  expect(answered).toMatchObject({ task: { id: taskId, artifacts: [{ parts: [{ text: 'Rome it is (2)' }] }] } });
  expect(peer.tasks).toHaveLength(1);
  expect(peer.doubleSends).toEqual([]);
});

test.each(WIRE_FORMATS)(
  '$version over $binding: a stream that answers a question starts with a working task',
  async (format) => {
    const peer = await open({ ...format, script: [[{ status: 'input-required' }], 'Thanks'] });
    const taskId = taskIdIn(format);

    expect(await events(peer, format, 'SendStreamingMessage', say('Book'))).toEqual([
      first(format),
      'TASK_STATE_INPUT_REQUIRED',
    ]);
    expect(await events(peer, format, 'SendStreamingMessage', say('Rome', { messageId: 'm2', taskId }))).toEqual([
      first(format, 'TASK_STATE_WORKING'),
      'Thanks',
      'TASK_STATE_COMPLETED',
    ]);
  },
);

test.each(WIRE_FORMATS)('$version over $binding: errors have the format of the version', async (format) => {
  const peer = await open({ ...format, script: [new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'No')] });
  const dialect = dialectFor(format);
  const errorOf = async (response: Response): Promise<A2AError> => {
    const json = await response.json();
    return format.binding === 'JSONRPC'
      ? dialect.errors.decodeRpc((json as { error: never }).error)
      : dialect.errors.decodeRest(response.status, json);
  };

  const refused = await errorOf(await rawCall(format, `${peer.url}/a2a`, 'SendMessage', say('hi')));
  const unknown = await errorOf(await rawCall(format, `${peer.url}/a2a`, 'GetTask', { id: 'nobody' }));

  expect(refused.code).toBe('CONTENT_TYPE_NOT_SUPPORTED');
  expect(unknown.code).toBe('TASK_NOT_FOUND');
  expect(peer.requests.map(({ acted }) => acted)).toEqual([false, false]);
});

test.each(WIRE_FORMATS)(
  '$version over $binding: a task that stays open is canceled, and its stream ends',
  async (format) => {
    const peer = await open({ ...format, script: [[{ status: 'working' }]] });
    const streaming = rawCall(format, `${peer.url}/a2a`, 'SendStreamingMessage', say('hi'));
    const items = streamOf(await streaming);

    const canceled = await call(peer, format, 'CancelTask', { id: taskIdIn(format) });

    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(await items).toHaveLength(3);
  },
);

test.each(WIRE_FORMATS)('$version over $binding: push configs are kept', async (format) => {
  const peer = await open({ ...format, script: [[{ status: 'working' }]] });
  await call(peer, format, 'SendMessage', say('hi'));
  const taskId = taskIdIn(format);

  const set = { taskId, id: 'c1', url: 'https://example.com/hook', token: 't' };
  await call(peer, format, 'CreateTaskPushNotificationConfig', set);
  const got = await call(peer, format, 'GetTaskPushNotificationConfig', {
    taskId,
    ...(format.version !== '0.1' && { id: 'c1' }),
  });

  expect(got).toMatchObject({ taskId, url: 'https://example.com/hook', token: 't' });
});

test('a task that no caller waits for advances by one step at each poll', async () => {
  const [format] = WIRE_FORMATS as [WireFormat];
  const peer = await open({ ...format, script: [[{ status: 'working' }, 'Hello']] });
  const sent = await call(peer, format, 'SendMessage', { ...say('hi'), configuration: { returnImmediately: true } });
  expect(sent).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });

  const states = [];
  for (let i = 0; i < 4; i++) states.push((await call(peer, format, 'GetTask', { id: 'task-1' })).status.state);

  expect(states).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
});

test('a peer with answersAtOnce responds before its task has ended', async () => {
  const format: WireFormat = { version: '0.1', binding: 'JSONRPC' };
  const peer = await open({ ...format, answersAtOnce: true });
  expect(await call(peer, format, 'SendMessage', say('hi'))).toMatchObject({
    task: { status: { state: 'TASK_STATE_SUBMITTED' } },
  });
});

test('a task on hold continues when its promise resolves', async () => {
  const [format] = WIRE_FORMATS as [WireFormat];
  const { promise, resolve } = deferred<void>();
  const peer = await open({ ...format, script: [['Hel', { until: promise }, 'lo']] });
  const sent = call(peer, format, 'SendMessage', say('hi'));
  await expect.poll(() => peer.tasks[0]?.artifacts?.[0]?.parts).toEqual([{ text: 'Hel' }]);

  resolve();

  expect(await sent).toMatchObject({ task: { artifacts: [{ parts: [{ text: 'Hello' }] }] } });
});

test('a response with a message creates no task', async () => {
  const [format] = WIRE_FORMATS as [WireFormat];
  const peer = await open({ ...format, script: [{ message: 'Hello' }] });

  expect(await call(peer, format, 'SendMessage', say('hi'))).toMatchObject({ message: { parts: [{ text: 'Hello' }] } });
  expect(await events(peer, format, 'SendStreamingMessage', say('hi'))).toEqual(['message [{"text":"Hello"}]']);
  expect(peer.tasks).toEqual([]);
});

test.each(WIRE_FORMATS)(
  '$version over $binding: a subscriber that reconnects gets a snapshot and the remaining events',
  async (format) => {
    const peer = await open({
      ...format,
      script: [[{ status: 'working' }, 'a', 'b']],
      faults: [{ fault: 'cut-stream', afterEvents: 2, missed: 1 }],
    });
    await expect(events(peer, format, 'SendStreamingMessage', say('hi'))).rejects.toThrow('terminated');

    const rest = await events(peer, format, 'SubscribeToTask', { id: taskIdIn(format) });

    // 0.1 has no snapshots: the status and each artifact is a separate event.
    const snapshot = format.version === '0.1' ? ['TASK_STATE_WORKING', 'a'] : ['task TASK_STATE_WORKING'];
    expect(rest).toEqual([...snapshot, 'b', 'TASK_STATE_COMPLETED']);
  },
);

test('a peer that numbers its events resumes by number', async () => {
  const [format] = WIRE_FORMATS as [WireFormat];
  const peer = await open({ ...format, numbersEvents: true, script: [['a', 'b']] });
  await events(peer, format, 'SendStreamingMessage', say('hi'));

  const rest = await events(peer, format, 'SubscribeToTask', { id: 'task-1' }, { 'last-event-id': '2' });

  expect(rest).toEqual(['b', 'TASK_STATE_COMPLETED']);
});

test('a repeated message is a double send, unless the peer recognises it', async () => {
  const [format] = WIRE_FORMATS as [WireFormat];
  const forgetful = await open(format);
  const attentive = await open({ ...format, recognisesRepeats: true });
  for (const peer of [forgetful, attentive]) {
    await call(peer, format, 'SendMessage', say('hi'));
    await call(peer, format, 'SendMessage', say('hi'));
  }

  expect([forgetful.tasks.length, forgetful.doubleSends]).toEqual([2, ['m1']]);
  expect([attentive.tasks.length, attentive.doubleSends]).toEqual([1, []]);
  expect(attentive.requests.map(({ acted }) => acted)).toEqual([true, false]);
});

test('a peer rejects other versions and has no other binding', async () => {
  const peer = await open({ version: '0.3' });
  const wrong = await rawCall({ version: '1.0', binding: 'JSONRPC' }, `${peer.url}/a2a`, 'SendMessage', say('hi'));
  const rest = await rawCall({ version: '0.3', binding: 'HTTP+JSON' }, `${peer.url}/a2a`, 'SendMessage', say('hi'));

  expect(await wrong.json()).toMatchObject({ error: { code: -32009 } });
  expect(rest.status).toBe(404);
  await expect(fakePeer({ version: '0.2', binding: 'HTTP+JSON' })).rejects.toThrow('requires A2A 0.3 or later');
});

test('the card can be changed, extended and made invalid', async () => {
  const [format] = WIRE_FORMATS as [WireFormat];
  const peer = await open({
    ...format,
    card: { name: 'Clerk' },
    extendedCard: { description: 'For friends.' },
    writeCard: ({ supportedInterfaces: _, ...rest }) => ({ ...rest, odd: true }),
  });

  const card = await (await fetch(`${peer.url}/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({ name: 'Clerk', odd: true });
  expect(card).not.toHaveProperty('supportedInterfaces');
  expect(await call(peer, format, 'GetExtendedAgentCard', {})).toMatchObject({
    name: 'Clerk',
    description: 'For friends.',
    supportedInterfaces: [{ url: `${peer.url}/a2a` }],
  });
});
