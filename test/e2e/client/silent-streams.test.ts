/** Streams that stay silent although their task has ended or its run has died. */
import type { ServerResponse } from 'node:http';

import { describe, expect, test, vi } from 'vitest';

import type { AgentEvent } from '../../../src/client/event.ts';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { connected, createSkippingClock, TRANSPORTS } from './kit.ts';
import { chunk, failure, type Peer, result, startPeer, status, stream, task } from './peer.ts';

const calls = ({ got }: Peer, method: string): number => got.filter(({ rpc }) => rpc?.method === method).length;

function summaryOf(event: AgentEvent): string {
  if (event.type === 'status') return `status ${event.state}`;
  if (event.type === 'artifact') return `artifact ${event.text}`;
  return event.type;
}

/** Reads a stream in the background. */
function reading(events: AsyncIterable<AgentEvent>): { readonly seen: string[]; readonly end: Promise<string[]> } {
  const seen: string[] = [];
  const read = async (): Promise<string[]> => {
    for await (const event of events) seen.push(summaryOf(event));
    return seen;
  };
  const end = read();
  end.catch(() => {});
  return { seen, end };
}

interface SilentPeer {
  /** The response to GetTask. */
  task: Record<string, unknown>;
  readonly peer: Peer;
  readonly send: (value: unknown) => void;
}

/** An agent that begins a task with one chunk, and then leaves the stream open and silent. */
async function startSilentPeer(): Promise<SilentPeer> {
  let send: (value: unknown) => void = () => {};
  const silent: { task: Record<string, unknown> } = { task: task('WORKING') };
  const peer = await startPeer(({ rpc }, response) => {
    if (rpc?.method === 'GetTask') return result(response, silent.task);
    if (rpc?.method === 'CancelTask') {
      silent.task = task('CANCELED');
      return result(response, silent.task);
    }
    send = stream(response);
    send({ task: task('WORKING') });
    send(chunk('first ', false));
  });
  return Object.assign(silent, { peer, send: (value: unknown) => send(value) });
}

const artifacts = [{ artifactId: 'a', parts: [{ text: 'first second' }] }];

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('a stream that stays open after its task has ended ends within a minute, with the missed events', async () => {
    const silent = await startSilentPeer();
    const clock = fakeClock();
    const agent = await connected(silent.peer.url, { ...options, clock });
    const { seen, end } = reading(agent.stream('hi'));
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    silent.task = task('COMPLETED', { artifacts });
    clock.advance(30_000);
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    clock.advance(29_999);
    expect(calls(silent.peer, 'GetTask')).toBe(0);
    clock.advance(1);
    expect(await end).toEqual(['task', 'artifact first ', 'artifact second', 'status completed']);
    expect(clock.pending).toBe(0);
  });

  test('a silent stream of a task that works stays open, and the client polls the task every 30 s', async () => {
    const silent = await startSilentPeer();
    const clock = fakeClock();
    const agent = await connected(silent.peer.url, { ...options, clock });
    const { seen, end } = reading(agent.stream('hi'));
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    for (const times of [0, 1, 2]) {
      await vi.waitFor(() => expect(clock.pending).toBe(1));
      clock.advance(30_000);
      await vi.waitFor(() => expect(calls(silent.peer, 'GetTask')).toBe(times));
    }
    silent.send(chunk('second'));
    silent.send(status('COMPLETED'));
    expect(await end).toEqual(['task', 'artifact first ', 'artifact second', 'status completed']);
  });

  test('a stream ends with the state that cancel() of the same client has reported', async () => {
    const silent = await startSilentPeer();
    const clock = fakeClock();
    const agent = await connected(silent.peer.url, { ...options, clock });
    const { seen, end } = reading(agent.stream('hi'));
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    expect((await agent.cancel('t1')).status.state).toBe('TASK_STATE_CANCELED');
    clock.advance(2000);
    expect((await end).at(-1)).toBe('status canceled');
    expect(clock.pending).toBe(0);
  });

  test.each([true, false])(
    'a stream that cancel() has ended keeps the artifacts that came before (GetTask responds: %s)',
    async (responds) => {
      const peer = await startPeer(({ rpc }, response) => {
        if (rpc?.method === 'GetTask')
          return responds
            ? result(response, task('CANCELED', { artifacts }))
            : failure(response, -32603, 'INTERNAL_ERROR');
        if (rpc?.method === 'CancelTask') return result(response, task('CANCELED'));
        const send = stream(response);
        send({ task: task('WORKING') });
        send(chunk('first ', false));
      });
      const clock = fakeClock();
      const agent = await connected(peer.url, { ...options, clock, retries: 0 });
      const events = agent.stream('hi');
      const { seen, end } = reading(events);
      await vi.waitFor(() => expect(seen).toHaveLength(2));
      await agent.cancel('t1');
      clock.advance(2000);
      expect((await end).at(-1)).toBe('status canceled');
      const text = responds ? 'first second' : 'first ';
      expect(events.task?.artifacts).toMatchObject([{ artifactId: 'a', parts: [{ text }] }]);
    },
  );

  test('the wait for a task whose run has died ends after a minute if the agent rejects subscriptions to it', async () => {
    const peer = await startPeer(dying((response) => failure(response, -32001, 'TASK_NOT_FOUND')));
    const agent = await connected(peer.url, { ...options, clock: createSkippingClock() });
    const { end } = reading(agent.stream('hi'));
    const error = await end.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'TRANSPORT_FAILED',
      message: expect.stringMatching(
        /^The stream ended before the task did, and the task has not changed for 6\d s\. /,
      ) as string,
      details: { state: 'TASK_STATE_WORKING', handle: expect.stringMatching(/^task1_/) as string },
    });
  });

  test('the wait for a task whose stream broke ends after five minutes without a change', async () => {
    const peer = await startPeer(dying((response) => failure(response, -32601, 'METHOD_NOT_FOUND')));
    const agent = await connected(peer.url, { ...options, clock: createSkippingClock() });
    const { end } = reading(agent.stream('hi'));
    await expect(end).rejects.toMatchObject({
      code: 'TRANSPORT_FAILED',
      message: expect.stringMatching(/has not changed for 30\d s/) as string,
    });
  });

  test('the wait for a task whose stream broke continues as long as the agent accepts subscriptions to it', async () => {
    let polls = 0;
    let subscriptions = 0;
    const peer = await startPeer(({ rpc }, response) => {
      // More polls than there are in five minutes.
      if (rpc?.method === 'GetTask') return result(response, task(++polls > 200 ? 'COMPLETED' : 'WORKING'));
      // The first one would continue the stream.
      if (rpc?.method === 'SubscribeToTask' && ++subscriptions === 1)
        return failure(response, -32004, 'UNSUPPORTED_OPERATION');
      stream(response)({ task: task('WORKING') });
      if (rpc?.method !== 'SubscribeToTask') response.end();
    });
    const clock = createSkippingClock();
    const start = clock.now();
    const agent = await connected(peer.url, { ...options, clock });
    expect((await reading(agent.stream('hi')).end).at(-1)).toBe('status completed');
    expect(clock.now() - start).toBeGreaterThan(300_000);
    expect(subscriptions).toBeGreaterThan(1);
  });

  test.each([
    ['UNSUPPORTED_OPERATION', -32004],
    ['INVALID_PARAMS', -32602],
    ['INVALID_REQUEST', -32600],
    ['TASK_NOT_FOUND', -32001],
    ['METHOD_NOT_FOUND', -32601],
  ])(
    'subscribe() to an ended task yields the task if the agent rejects the subscription with %s',
    async (reason, code) => {
      const peer = await startPeer(({ rpc }, response) => {
        if (rpc?.method === 'GetTask') return result(response, task('COMPLETED', { artifacts }));
        return failure(response, code, reason);
      });
      const agent = await connected(peer.url, options);
      const events = agent.task('t1').subscribe();
      expect(await reading(events).end).toEqual(['task']);
      expect(events.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, artifacts });
    },
  );

  test('subscribe() to an ended task yields the task if the agent breaks the connection', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'GetTask') return result(response, task('COMPLETED', { artifacts }));
      response.destroy();
    });
    const agent = await connected(peer.url, options);
    expect(await reading(agent.task('t1').subscribe()).end).toEqual(['task']);
  });

  test('subscribe() to a task that works throws the error of an agent that rejects the subscription', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'GetTask') return result(response, task('WORKING'));
      return failure(response, -32004, 'UNSUPPORTED_OPERATION');
    });
    const agent = await connected(peer.url, options);
    await expect(agent.task('t1').subscribe().next()).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
  });
});

/** An agent whose run dies at the first chunk. Its task stays at `working`. */
function dying(subscribe: (response: ServerResponse) => void): Parameters<typeof startPeer>[0] {
  return ({ rpc }, response) => {
    if (rpc?.method === 'GetTask') return result(response, task('WORKING'));
    if (rpc?.method === 'SubscribeToTask') return subscribe(response);
    const send = stream(response);
    send({ task: task('WORKING') });
    response.end();
  };
}
