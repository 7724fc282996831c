/** The specification of corvid's A2A module: its scenarios and error cases, called as its own client calls them. */
import { describe, expect, test } from 'vitest';

import { agent } from '../../../src/agent/agent.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { exchange } from '../kit/exchange.ts';
import { serveOnSocket } from '../kit/server.ts';

interface FlatTask {
  readonly id: string;
  readonly state: string;
  readonly messages: readonly { readonly role: string; readonly parts: readonly { readonly text: string }[] }[];
}

const WORDS = 'A summary in several words.';

function summarizer(gate = deferred<void>(), limits = {}) {
  return agent({
    name: 'Summarizer',
    description: 'Summarizes texts.',
    ...limits,
    async *run({ text, signal, ask, metadata }) {
      if (text === 'Hello') return yield 'Hi there';
      if (text === 'Fail') throw new Error('the password is in /etc/shadow');
      if (text === 'Ask') return yield await ask('Which part?');
      if (text === 'Hints') return yield JSON.stringify(metadata);
      if (text === 'Wait') {
        await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
        return yield 'Waited';
      }
      yield { status: 'working', text: 'Reading…' };
      for (const word of WORDS.split(/(?<= )/)) yield word;
    },
  });
}

/** Calls as `invokeRemoteAgent` of corvid does: submits, polls until the end, takes the first part of the last agent message. */
async function invokeRemoteAgent(
  url: string,
  message: string,
  { timeoutMs = 20_000, submit = {} }: { readonly timeoutMs?: number; readonly submit?: object } = {},
) {
  const sent = await exchange(url, {
    method: 'POST',
    path: '/a2a/tasks/send',
    body: { params: { message, timeoutMs, ...submit } },
  });
  if (sent.status !== 200) return { success: false, error: `Submit failed: HTTP ${sent.status}` };
  let task = sent.json as FlatTask;
  const end = Date.now() + timeoutMs;
  while (task.state !== 'completed' && task.state !== 'failed') {
    if (Date.now() > end) return { success: false, error: `Timed out after ${timeoutMs}ms`, taskId: task.id };
    task = (await exchange(url, { method: 'GET', path: `/a2a/tasks/${task.id}` })).json as FlatTask;
  }
  const responseText = task.messages.findLast(({ role }) => role === 'agent')?.parts[0]?.text;
  return task.state === 'completed'
    ? { success: true, taskId: task.id, responseText }
    : { success: false, taskId: task.id, error: responseText ?? 'Task failed' };
}

const send = (body: object, headers = {}) => ({ method: 'POST', path: '/a2a/tasks/send', body, headers });
const serveSummarizer = (options = {}) => serveOnSocket(summarizer(), { profile: 'corvid', ...options });

describe('Scenario: Remote agent invocation', () => {
  test('invokeRemoteAgent() returns the whole text of a streamed response', async () => {
    const { url } = await serveSummarizer();
    expect(await invokeRemoteAgent(url, 'Summarize this')).toEqual({
      success: true,
      taskId: expect.any(String),
      responseText: WORDS,
    });
  });

  test('a failed task is an error with a reference and no internals', async () => {
    const { url } = await serveSummarizer();
    const { success, error } = await invokeRemoteAgent(url, 'Fail');
    expect([success, error]).toEqual([false, expect.stringMatching(/^The agent failed\. Reference: /)]);
  });
});

describe('Scenario: Inbound task lifecycle', () => {
  test('a send returns at once, while the handler works', async () => {
    const gate = deferred<void>();
    const { ask } = await serveOnSocket(summarizer(gate), { profile: 'corvid' });
    const sent = await ask(send({ message: 'Wait' }));
    const { id, state } = sent.json as FlatTask;
    expect([sent.status, ['submitted', 'working'].includes(state)]).toEqual([200, true]);
    expect(sent.json).toMatchObject({
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Wait' }] }],
      sessionId: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const get = async () => (await ask({ method: 'GET', path: `/a2a/tasks/${id}` })).json;
    await expect.poll(get).toMatchObject({ state: 'working' });
    gate.resolve();
    await expect.poll(get).toMatchObject({
      state: 'completed',
      messages: [{ role: 'user' }, { role: 'agent', parts: [{ type: 'text', text: 'Waited' }] }],
    });
  });

  test('a question keeps a task working, because corvid has no state for it and no way to answer', async () => {
    const { ask } = await serveSummarizer();
    const { id } = (await ask(send({ message: 'Ask' }))).json as FlatTask;
    await expect
      .poll(async () => (await ask({ method: 'GET', path: `/a2a/tasks/${id}` })).json)
      .toMatchObject({
        state: 'working',
        messages: [{ role: 'user' }, { role: 'agent', parts: [{ text: 'Which part?' }] }],
      });
  });

  test('skill, depth and sourceAgent reach the handler as metadata', async () => {
    const { url } = await serveSummarizer();
    const submit = { skill: 'summary', depth: 3, sourceAgent: 'scout' };
    const { responseText = '' } = await invokeRemoteAgent(url, 'Hints', { submit });
    expect(JSON.parse(responseText)).toMatchObject(submit);
  });
});

describe('Scenario: Inbound task timeout', () => {
  test('a task that works longer than timeoutMs of its caller fails with "Task timed out"', async () => {
    const { ask } = await serveSummarizer();
    const { id } = (await ask(send({ message: 'Wait', timeoutMs: 5 }))).json as FlatTask;
    await expect
      .poll(async () => (await ask({ method: 'GET', path: `/a2a/tasks/${id}` })).json)
      .toMatchObject({
        state: 'failed',
        messages: [{ role: 'user' }, { role: 'agent', parts: [{ type: 'text', text: 'Task timed out' }] }],
      });
  });

  test('timeoutMs of the caller cannot exceed the limit of the agent', async () => {
    const { ask } = await serveOnSocket(summarizer(undefined, { timeoutMs: 5 }), { profile: 'corvid' });
    const { id } = (await ask(send({ message: 'Wait', timeoutMs: 600_000 }))).json as FlatTask;
    await expect
      .poll(async () => (await ask({ method: 'GET', path: `/a2a/tasks/${id}` })).json)
      .toMatchObject({ state: 'failed' });
  });
});

describe('Error Cases', () => {
  test.each([
    ['a depth over 3', send({ message: 'Hello', depth: 4 }), 400, 'depth: expected an integer from 1 to 3'],
    ['a blank message', send({ message: ' ' }), 400, 'message: expected a non-blank string'],
    ['an unknown task', { method: 'GET', path: '/a2a/tasks/nope' }, 404, 'Task not found'],
  ])('%s is rejected with a text', async (_, ask, status, error) => {
    const server = await serveSummarizer();
    const answer = await server.ask(ask);
    expect([answer.status, answer.json]).toEqual([status, { error: expect.stringContaining(error) }]);
  });

  test('a request without a key gets 401 with a challenge and a text, where corvid sends 401 or 403', async () => {
    const { ask } = await serveSummarizer({ auth: bearerTokens({ peer: 'k'.repeat(32) }) });
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
      const answer = await ask(send({ message: 'Hello' }, headers));
      expect([answer.status, answer.json]).toEqual([401, { error: expect.any(String) }]);
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  test('a caller over the rate limit gets 429 with Retry-After, which corvid leaves out', async () => {
    const { ask } = await serveSummarizer({ limits: { rate: { perMinute: 1, burst: 1 } } });
    await ask(send({ message: 'Hello' }));
    const answer = await ask(send({ message: 'Hello' }));
    expect([answer.status, answer.json]).toEqual([429, { error: expect.stringContaining('Rate limit exceeded') }]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});
