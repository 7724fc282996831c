import { describe, expect, test } from 'vitest';
import type { AgentClient, ErrorCode } from '../../src/index.ts';
import { serveLooopy } from '../fixtures/peers/looopy.ts';
import { connected, line } from './client-behaviours.ts';
import { all } from './peer.ts';

describe.each(['texts', 'sample-code'] as const)('our client and Looopy by its %s', (form) => {
  test('it finds the agent and asks', async () => {
    const { url, seen } = await serveLooopy({ form });
    const agent = await connected(url);
    expect(agent.chosen).toMatchObject({ url: `${url}/api/a2a`, binding: 'JSONRPC', version: '0.3' });
    expect(await agent.ask('sales')).toBe('Result of sales.');
    expect(seen.filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('it streams', async () => {
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
    const odd = new Set(agent.warnings.map(({ code }) => code));
    expect(odd).toEqual(new Set(form === 'texts' ? [] : ['state-foreign', 'artifact-event-part']));
  });

  test('it waits as long as the agent works', async () => {
    const { url, gate } = await serveLooopy({ form });
    const agent = await connected(url);
    expect(await agent.ask('wait', { onProgress: () => gate.resolve() })).toBe('Result of wait.');
  });

  test('it is asked, and does not wait for an end that needs it', async () => {
    const { url } = await serveLooopy({ form });
    const agent = await connected(url);
    const reply = await agent.send('book');
    expect(reply).toMatchObject({ state: 'input-required', text: 'Which city?' });
    expect(agent.warnings.map(({ code }) => code)).toContain('input-request');
  });

  test('it answers in the words of the question, and hears the rest in both streams', async () => {
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

  test('it hears what the agent threw', async () => {
    const { url } = await serveLooopy({ form });
    const agent = await connected(url);
    await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

test.each<[string, ErrorCode, (agent: AgentClient, id: string) => Promise<unknown>]>([
  ['send without a stream', 'METHOD_NOT_FOUND', (agent) => agent.send('sales', { wait: 'block' })],
  ['cancel', 'METHOD_NOT_FOUND', (agent, id) => agent.cancel(id)],
  ['subscribe', 'METHOD_NOT_FOUND', (agent, id) => all(agent.task(id).subscribe())],
  // It answers with a stream, and knows only who says taskId.
  ['get a task', 'INVALID_AGENT_RESPONSE', (agent, id) => agent.get(id)],
])('nobody can %s at Looopy', async (_, code, call) => {
  const { url } = await serveLooopy();
  const agent = await connected(url);
  const { task } = await agent.send('sales');
  await expect(call(agent, task?.id ?? '')).rejects.toMatchObject({ code });
});

test('Looopy over REST wants the words of JSON-RPC, and says so', async () => {
  const { url } = await serveLooopy({ preferred: 'HTTP+JSON' });
  const agent = await connected(url);
  expect(agent.chosen).toMatchObject({ url, binding: 'HTTP+JSON' });
  await expect(agent.ask('sales')).rejects.toMatchObject({ message: 'message.parts is not iterable' });
  expect(await (await connected(url, { binding: 'JSONRPC' })).ask('sales')).toBe('Result of sales.');
});

test.each(['texts', 'sample-code'] as const)('Looopy over REST, by its %s, for one who knows how to', async (form) => {
  const { url } = await serveLooopy({ form, preferred: 'HTTP+JSON' });
  const agent = await connected(url, { restStyle: 'kind' });
  expect(agent.chosen).toMatchObject({ url, binding: 'HTTP+JSON', version: '0.3' });
  expect(await agent.ask('sales')).toBe('Result of sales.');
  expect(await agent.ask('sales', { wait: 'block' })).toBe('Result of sales.');
  expect((await all(agent.stream('sales'))).map(line).at(-1)).toBe('status completed');
  await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
});

test('Looopy gets the bearer and the trace', async () => {
  const { url } = await serveLooopy({ token: 't' });
  const agent = await connected(url, { auth: 't' });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const events = await all(agent.stream('sales', { traceparent }));
  expect(events.at(-1)?.raw).toMatchObject({ metadata: { traceId: '4bf92f3577b34da6a3ce929d0e0e4736' } });
  await expect((await connected(url)).ask('sales')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});
