import { describe, expect, test } from 'vitest';
import type { AgentClient, ErrorCode } from '../../src/index.ts';
import { serveLooopy } from '../fixtures/peers/looopy.ts';
import { connected, line } from './our-client-behaviours.ts';
import { all } from './peer.ts';

describe.each(['texts', 'sample-code'] as const)('our client and Looopy with the event format of its %s', (form) => {
  test('it discovers the agent, and ask() sends one request', async () => {
    const { url, seen } = await serveLooopy({ form });
    const agent = await connected(url);
    expect(agent.chosen).toMatchObject({ url: `${url}/api/a2a`, binding: 'JSONRPC', version: '0.3' });
    expect(await agent.ask('sales')).toBe('Result of sales.');
    expect(seen.filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('it streams a task', async () => {
    const { url } = await serveLooopy({ form });
    const agent = await connected(url);
    expect((await all(agent.stream('sales'))).map(line)).toEqual([
      'task submitted',
      'status working: Processing...',
      'status working',
      'artifact: Result ',
      'artifact +: of ',
      'artifact +: sales.',
      'status completed',
    ]);
    const codes = new Set(agent.warnings.map(({ code }) => code));
    expect(codes).toEqual(new Set(form === 'texts' ? [] : ['state-foreign', 'artifact-event-part']));
  });

  test('ask() waits until the task has completed', async () => {
    const { url, gate } = await serveLooopy({ form });
    const agent = await connected(url);
    expect(await agent.ask('wait', { onProgress: () => gate.resolve() })).toBe('Result of wait.');
  });

  test('send() resolves when the agent asks a question, although the stream stays open', async () => {
    const { url } = await serveLooopy({ form });
    const agent = await connected(url);
    const reply = await agent.send('book');
    expect(reply).toMatchObject({ state: 'input-required', text: 'Which city?' });
    expect(agent.warnings.map(({ code }) => code)).toContain('input-request');
  });

  test('it answers a question with a tool result, and both streams continue to the end', async () => {
    const { url } = await serveLooopy({ form });
    const agent = await connected(url);
    const question = agent.stream('book');
    const events: string[] = [];
    for await (const event of question) {
      events.push(line(event));
      if (event.type !== 'status' || event.state !== 'input-required') continue;
      const asked = event.status.message?.metadata?.['a2a:inputRequest'];
      expect(asked).toMatchObject({ prompt: 'Which city?', requestId: 'input-1' });
      const data = { toolUseId: 'input-1', result: { value: 'Rome' } };
      const parts = [{ data, metadata: { 'a2a:kind': 'tool-result' } }];
      const answer = await agent.send({ parts, referenceTaskIds: [event.taskId] });
      expect(answer).toMatchObject({ state: 'completed', text: 'Booked a train to Rome.' });
    }
    expect(events.at(-1)).toBe('status completed');
    expect(question.task?.artifacts).toMatchObject([{ parts: [{ text: 'Booked a train to Rome.' }] }]);
  });

  test('ask() rejects when the agent throws', async () => {
    const { url } = await serveLooopy({ form });
    const agent = await connected(url);
    await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

test.each<[string, ErrorCode, (agent: AgentClient, id: string) => Promise<unknown>]>([
  ['sending without a stream', 'METHOD_NOT_FOUND', (agent) => agent.send('sales', { wait: 'block' })],
  ['canceling', 'METHOD_NOT_FOUND', (agent, id) => agent.cancel(id)],
  ['subscribing', 'METHOD_NOT_FOUND', (agent, id) => all(agent.task(id).subscribe())],
  // Looopy responds with a stream, and reads `taskId` instead of `id`.
  ['getting a task', 'INVALID_AGENT_RESPONSE', (agent, id) => agent.get(id)],
])('%s at Looopy rejects with %s', async (_, code, call) => {
  const { url } = await serveLooopy();
  const agent = await connected(url);
  const { task } = await agent.send('sales');
  await expect(call(agent, task?.id ?? '')).rejects.toMatchObject({ code });
});

test('ask() to Looopy over REST rejects without restStyle: kind, and works over JSON-RPC', async () => {
  const { url } = await serveLooopy({ preferred: 'HTTP+JSON' });
  const agent = await connected(url);
  expect(agent.chosen).toMatchObject({ url, binding: 'HTTP+JSON' });
  await expect(agent.ask('sales')).rejects.toMatchObject({ message: 'message.parts is not iterable' });
  expect(await (await connected(url, { binding: 'JSONRPC' })).ask('sales')).toBe('Result of sales.');
});

test.each(['texts', 'sample-code'] as const)(
  'our client uses Looopy over REST with restStyle: kind and the event format of its %s',
  async (form) => {
    const { url } = await serveLooopy({ form, preferred: 'HTTP+JSON' });
    const agent = await connected(url, { restStyle: 'kind' });
    expect(agent.chosen).toMatchObject({ url, binding: 'HTTP+JSON', version: '0.3' });
    expect(await agent.ask('sales')).toBe('Result of sales.');
    expect(await agent.ask('sales', { wait: 'block' })).toBe('Result of sales.');
    expect((await all(agent.stream('sales'))).map(line).at(-1)).toBe('status completed');
    await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  },
);

test('our client sends the bearer token and the trace context to Looopy', async () => {
  const { url } = await serveLooopy({ token: 't' });
  const agent = await connected(url, { auth: 't' });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const events = await all(agent.stream('sales', { traceparent }));
  expect(events.at(-1)?.raw).toMatchObject({ metadata: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' } });
  await expect((await connected(url)).ask('sales')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});
