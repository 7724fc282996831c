/** Questions as a caller sees and answers them, in every version and binding. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import type { ConnectOptions } from '../../../src/client/options.ts';
import type { AnswerInput, TaskQuestion } from '../../../src/client/task-question.ts';
import { agent as define } from '../../../src/agent/agent.ts';
import { A2AError } from '../../../src/errors.ts';
import { serveOnSocket } from '../kit/server.ts';
import { connected } from './kit.ts';
import { json, startPeer } from './peer.ts';

const ADDRESS = { street: { type: 'string' }, number: { type: 'integer' } } as const;

const CLERK = define({
  name: 'Clerk',
  description: 'Asks what the message names.',
  async run({ text, ask, authorize }) {
    switch (text) {
      case 'text':
        return { data: { answer: await ask('Where to?') } };
      case 'confirm':
        return { data: { answer: await ask({ confirm: 'Really?' }) } };
      case 'choose':
        return { data: { answer: await ask({ choose: 'Which?', options: ['S', 'M', { id: 'l', label: 'Large' }] }) } };
      case 'form':
        return { data: { answer: await ask({ form: 'Where to?', fields: ADDRESS }) } };
      case 'value':
        return { data: { answer: await ask('How many?', { schema: { type: 'integer', minimum: 1 } }) } };
      case 'zod':
        return { data: { answer: await ask('Which date?', { schema: z.object({ text: z.iso.date() }) }) } };
      case 'secret':
        return { data: { answer: await ask('PIN?', { sensitive: true }) } };
      case 'trip': {
        const answers = [ask('From?'), ask({ choose: 'How?', options: ['train', 'bus'] }), ask({ confirm: 'Today?' })];
        return { data: { answer: await Promise.all<unknown>(answers) } };
      }
      case 'vault':
        return { data: { answer: await Promise.all([ask('Who?'), authorize('Please log in')]) } };
      case 'login':
        return { data: { answer: await authorize('Please log in') } };
      default: {
        const city = await ask('Where to?');
        return { data: { answer: [city, await ask({ confirm: `Really to ${city}?` })] } };
      }
    }
  },
});

const WAYS: readonly ConnectOptions[] = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'HTTP+JSON' },
  { version: '0.2' },
  { version: '0.1' },
];

const ASKED: readonly [string, Partial<TaskQuestion>, AnswerInput, unknown][] = [
  ['text', { kind: 'text', text: 'Where to?', isSensitive: false }, 'Rome', 'Rome'],
  ['text', { kind: 'text' }, 7, '7'],
  ['confirm', { kind: 'confirm', text: 'Really?', isSensitive: false }, true, true],
  ['confirm', { kind: 'confirm' }, false, false],
  ['confirm', { kind: 'confirm' }, 'no', false],
  ['choose', { kind: 'choose', text: 'Which?' }, 'l', 'l'],
  ['choose', { kind: 'choose' }, 2, 'M'],
  [
    'form',
    { kind: 'form', text: 'Where to?', fields: ADDRESS },
    { street: 'Elm', number: 3 },
    { street: 'Elm', number: 3 },
  ],
  ['value', { kind: 'value', text: 'How many?' }, 3, 3],
  ['zod', { kind: 'form', required: ['text'] }, { text: '2026-01-02' }, { text: '2026-01-02' }],
  ['secret', { kind: 'text', isSensitive: true }, '1234', '1234'],
];

const answerIn = (reply: { readonly task?: { readonly artifacts?: readonly object[] } | undefined }): unknown =>
  reply.task?.artifacts?.at(-1);

describe.each(WAYS)('over $version $binding', (way) => {
  test.each(ASKED)('a question of kind %s is %j, and answer(%j) answers it', async (text, question, answer, value) => {
    const { url } = await serveOnSocket(CLERK);
    const client = await connected(url, way);
    const reply = await client.send(text);
    expect(reply.question).toMatchObject(question);
    const answered = await client.task(reply.handle ?? '').answer(answer);
    expect(answered).toMatchObject({ state: 'completed', question: undefined });
    expect(answerIn(answered)).toMatchObject({ parts: [{ data: { answer: value } }] });
  });

  test('onQuestion answers every question until the task ends', async () => {
    const { url } = await serveOnSocket(CLERK);
    const client = await connected(url, way);
    const asked: string[] = [];
    const onQuestion = async (question: TaskQuestion): Promise<AnswerInput> => {
      asked.push(question.text);
      return question.kind === 'confirm' ? true : 'Rome';
    };
    expect(await client.ask('two', { onQuestion })).toBe('{"answer":["Rome",true]}');
    expect(asked).toEqual(['Where to?', 'Really to Rome?']);
  });
});

describe.each(WAYS)('several open questions over $version $binding', (way) => {
  test('a reply has all of them, and answer() answers any of them by its id', async () => {
    const { url } = await serveOnSocket(CLERK);
    const client = await connected(url, way);
    const reply = await client.send('trip');
    expect(reply.question).toBe(reply.questions[0]);
    expect(reply.questions).toMatchObject([
      { kind: 'text', text: 'From?', path: [], isSensitive: false },
      { kind: 'choose', text: 'How?', options: [{ id: 'train' }, { id: 'bus' }] },
      { kind: 'confirm', text: 'Today?' },
    ]);
    const task = client.task(reply.handle ?? '');
    const [from, how, today] = reply.questions;
    const second = await task.answer(true, { question: today?.id ?? '' });
    expect(second.questions.map(({ text }) => text)).toEqual(['From?', 'How?']);
    await expect(task.answer(true, { question: today?.id ?? '' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    const third = await task.answer('Rome', { ...(from && { question: from }) });
    expect(third).toMatchObject({ state: 'input-required', question: { text: 'How?', id: how?.id } });
    const done = await task.answer(1, { ...(how && { question: how }) });
    expect(answerIn(done)).toMatchObject({ parts: [{ data: { answer: ['Rome', 'train', true] } }] });
  });

  test('onQuestion gets each of them, and its answers name their questions', async () => {
    const { url } = await serveOnSocket(CLERK);
    const client = await connected(url, way);
    const asked: string[] = [];
    const onQuestion = ({ kind, text }: TaskQuestion): AnswerInput => {
      asked.push(text);
      return kind === 'confirm' ? true : kind === 'choose' ? 'bus' : 'Rome';
    };
    expect(await client.ask('trip', { onQuestion })).toBe('{"answer":["Rome","bus",true]}');
    expect(asked).toEqual(['From?', 'How?', 'Today?']);
  });

  test('an answer without an id is rejected while the question has just replaced another one', async () => {
    const { url } = await serveOnSocket(CLERK);
    const client = await connected(url, way);
    const { handle = '' } = await client.send('trip');
    const second = await client.task(handle).answer('Rome');
    const id = second.question?.id ?? '';
    const error = { code: 'INVALID_PARAMS', message: expect.stringContaining(id) as string };
    await expect(client.task(handle).answer('Milan')).rejects.toMatchObject(error);
    expect((await client.task(handle).answer('bus', { question: id })).question?.text).toBe('Today?');
  });
});

test('onQuestion is asked once about a question that it leaves open, and the others are answered', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const asked: string[] = [];
  const onQuestion = ({ kind, text }: TaskQuestion): AnswerInput | undefined => {
    asked.push(text);
    return kind === 'confirm' ? true : undefined;
  };
  await expect(client.ask('trip', { onQuestion })).rejects.toMatchObject({ code: 'INPUT_REQUIRED' });
  expect(asked).toEqual(['From?', 'How?', 'Today?']);
  const [task] = (await client.list()).tasks;
  const { questions } = await client.task(task?.id ?? '').wait();
  expect(questions.map(({ text }) => text)).toEqual(['From?', 'How?']);
});

test('onQuestion answers an authorization that is not shown', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const onQuestion = ({ kind }: TaskQuestion): string => (kind === 'auth-required' ? 'token-1' : 'Ann');
  expect(await client.ask('vault', { onQuestion })).toBe('{"answer":["Ann","token-1"]}');
});

test.each([
  ['no id', {}],
  ['no object', 'q-1'],
])('a message whose metadata for an answer has %s is rejected', async (_case, value) => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const { task } = await client.send('trip');
  const message = { text: 'Rome', metadata: { 'urn:tandem-a2a:questions:1': value } };
  const rejected = { code: 'INVALID_PARAMS', message: expect.stringContaining('questionId') as string };
  await expect(client.send(message, { taskId: task?.id ?? '' })).rejects.toMatchObject(rejected);
});

test('a message that names a question but no task is rejected', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const message = { text: 'Rome', metadata: { 'urn:tandem-a2a:questions:1': { questionId: 'q-1' } } };
  const rejected = { code: 'INVALID_PARAMS', message: expect.stringContaining('taskId') as string };
  await expect(client.send(message)).rejects.toMatchObject(rejected);
});

test('a question that onQuestion leaves unanswered is thrown, with the handle of its task', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const error = {
    code: 'INPUT_REQUIRED',
    details: { handle: expect.any(String), question: 'Really to Rome? (yes/no)' },
  };
  const onQuestion = ({ kind }: TaskQuestion): string | undefined => (kind === 'text' ? 'Rome' : undefined);
  await expect(client.ask('two', { onQuestion })).rejects.toMatchObject(error);
});

test('a wrong answer of onQuestion is thrown with its violations, is not repeated, and leaves the question open', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  let asked = 0;
  const onQuestion = (): AnswerInput => {
    asked++;
    return { street: 'Elm' };
  };
  const error: unknown = await client.ask('form', { onQuestion }).catch((thrown: unknown) => thrown);
  if (!A2AError.is(error, 'INVALID_PARAMS')) throw error;
  expect(error.violations).toEqual([{ field: 'answer.number', description: 'expected a value; got none' }]);
  expect(asked).toBe(1);

  const task = client.task(error.details['handle'] ?? '');
  expect((await task.wait()).state).toBe('input-required');
  expect((await task.answer({ street: 'Elm', number: 3 })).state).toBe('completed');
});

test('fields that a form does not have reach the handler', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const answer = { street: 'Elm', number: 3, floor: 2 };
  expect(await client.ask('form', { onQuestion: () => answer })).toBe(JSON.stringify({ answer }));
});

test('an error of onQuestion is thrown, and the task keeps waiting', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const onQuestion = (): never => {
    throw new RangeError('no terminal');
  };
  await expect(client.ask('confirm', { onQuestion })).rejects.toThrow(new RangeError('no terminal'));
  const { tasks } = await client.list();
  expect(tasks.map(({ status }) => status.state)).toEqual(['TASK_STATE_INPUT_REQUIRED']);
});

test('the answer of onQuestion to an authorization reaches the handler and is not in the history', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const kinds: string[] = [];
  const onQuestion = ({ kind, isSensitive }: TaskQuestion): string => {
    kinds.push(`${kind} ${isSensitive}`);
    return 'token-1';
  };
  expect(await client.ask('login', { onQuestion })).toBe('{"answer":"token-1"}');
  expect(kinds).toEqual(['auth-required true']);
  const [task] = (await client.list({ historyLength: 10 })).tasks;
  expect(JSON.stringify(task?.history)).not.toContain('token-1');
});

test('answer() with sensitive: true sends a credential', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const { handle = '', question } = await client.send('login');
  expect(question).toMatchObject({ kind: 'auth-required', text: 'Please log in', isSensitive: true });
  expect((await client.task(handle).answer('token-1', { sensitive: true })).text).toBe('{"answer":"token-1"}');
});

test('an answer that the agent rejects leaves the question open', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const { handle = '' } = await client.send('form');
  const task = client.task(handle);
  await expect(task.answer({ street: 'Elm' })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    violations: [{ field: 'answer.number' }],
  });
  expect((await task.answer({ street: 'Elm', number: 3 })).state).toBe('completed');
});

test('answer() rejects a value without a JSON form', async () => {
  const { url } = await serveOnSocket(CLERK);
  const client = await connected(url);
  const { handle = '' } = await client.send('form');
  await expect(client.task(handle).answer(new Map())).rejects.toThrow('parts[0].data is an instance of Map');
});

test('a string is sent without reading the task first', async () => {
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
  const peer = await startPeer((_, response) => json(response, { jsonrpc: '2.0', id: 1, result: { task } }), {
    card: { capabilities: {} },
  });
  const client = await connected(peer.url);
  await client.task('t').answer('yes');
  expect(peer.got.map(({ rpc }) => rpc?.method)).toEqual(['SendMessage']);
});

test('the question of an agent of another make is a text, which booleans answer in words', async () => {
  const status = {
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: { messageId: 'q', role: 'ROLE_AGENT', parts: [{ text: 'Proceed?' }, { data: { ui: 'button' } }] },
  };
  const peer = await startPeer(
    ({ rpc }, response) => {
      const isAnswer = (rpc?.params['message'] as { taskId?: string } | undefined)?.taskId === 't';
      const task = { id: 't', contextId: 'c', status: isAnswer ? { state: 'TASK_STATE_COMPLETED' } : status };
      json(response, { jsonrpc: '2.0', id: 1, result: rpc?.method === 'GetTask' ? task : { task } });
    },
    { card: { capabilities: {} } },
  );
  const client = await connected(peer.url);
  const reply = await client.send('go');
  expect(reply.question).toEqual({ kind: 'text', id: 'q', path: [], text: 'Proceed?', isSensitive: false });
  await client.task('t').answer(true);
  expect(peer.got.at(-1)?.rpc?.params['message']).toMatchObject({ taskId: 't', parts: [{ text: 'yes' }] });
});
