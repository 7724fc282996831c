/** Failures of the connection and of responses: the client returns the right reply or error, and never sends a message twice. */
import { describe, expect, test } from 'vitest';

import type { CallAborted } from '../../../src/client/request/call-scope.ts';
import { agent as createAgent } from '../../../src/agent/agent.ts';
import { serveOnSocket } from '../kit/server.ts';
import { connected, skippingClock, unusedAddress, TRANSPORTS } from './kit.ts';
import { cardAt, failure, json, type Peer, result, startPeer, status, stream, task } from './peer.ts';

const sends = ({ got }: Peer): number => got.filter(({ rpc }) => rpc?.method.includes('Send') === true).length;

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test.each(['stream', 'poll', 'block'] as const)(
    'a message whose response is lost is not sent again (wait: %s)',
    async (wait) => {
      const peer = await startPeer((_got, response) => void response.destroy());
      const agent = await connected(peer.url, options);
      await expect(agent.send('hi', { wait })).rejects.toMatchObject({
        code: 'TRANSPORT_FAILED',
        details: { sent: 'maybe' },
      });
      expect(sends(peer)).toBe(1);
    },
  );

  test('a message whose response is lost is sent again with the same key to an agent that recognises repeats', async () => {
    let calls = 0;
    const peer = await startPeer((_got, response) => {
      if (++calls === 1) response.destroy();
      else result(response, { task: task() });
    });
    const agent = await connected(peer.url, { ...options, recognisesRepeats: true });
    expect((await agent.send('hi', { wait: 'block' })).state).toBe('completed');
    expect(peer.got[0]?.headers['idempotency-key']).toBe(peer.got[1]?.headers['idempotency-key']);
    expect(peer.got[0]?.body).toBe(peer.got[1]?.body);
  });

  test('the server runs a repeated message once, and returns the same task', async () => {
    let runs = 0;
    const once = createAgent({
      name: 'Once',
      description: 'Counts.',
      async *run() {
        yield `run ${++runs}`;
      },
    });
    const { url } = await serveOnSocket(once);
    const agent = await connected(url, options);
    const message = { text: 'hi', messageId: 'the-same' };
    const [first, second] = [await agent.send(message), await agent.send(message)];
    expect(second.task?.id).toBe(first.task?.id);
    expect(runs).toBe(1);
  });

  test.each([
    ['503 with Retry-After', 503, -32603, 'UNAVAILABLE', 2],
    ['429 with Retry-After', 429, -32000, 'RATE_LIMIT_EXCEEDED', 2],
  ])(
    'a message that gets %s is sent again, because the agent has not accepted it',
    async (_case, code, rpc, reason, expected) => {
      const peer = await startPeer((_got, response, { got }) => {
        if (got.length === 1) failure(response, rpc, reason, code, { 'retry-after': '0' });
        else result(response, { task: task() });
      });
      const agent = await connected(peer.url, options);
      expect((await agent.send('hi', { wait: 'block' })).state).toBe('completed');
      expect(sends(peer)).toBe(expected);
    },
  );

  test('a message that gets 503 without Retry-After is not sent again, because the agent may have accepted it', async () => {
    const peer = await startPeer((_got, response) => failure(response, -32603, 'UNAVAILABLE', 503));
    const agent = await connected(peer.url, options);
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(sends(peer)).toBe(1);
  });

  test.each([502, 504])(
    'a message that gets %i of a gateway is sent again only to an agent that recognises repeats',
    async (code) => {
      const peer = await startPeer((_got, response, { got }) => {
        // The first request fails, and from then on every second one.
        if (got.length === 1 || got.length % 2 === 0)
          response.writeHead(code, { 'retry-after': '0' }).end('<h1>Oh</h1>');
        else result(response, { task: task() });
      });
      const agent = await connected(peer.url, options);
      const error = {
        code: 'UNAVAILABLE',
        message: expect.stringContaining(`HTTP ${code}`),
        retryAfterMs: 0,
        details: { sent: 'maybe', messageId: expect.any(String) },
      };
      await expect(agent.send('hi')).rejects.toMatchObject(error);
      expect(sends(peer)).toBe(1);
      const recognised = await connected(peer.url, { ...options, recognisesRepeats: true });
      expect((await recognised.send('hi', { wait: 'block' })).state).toBe('completed');
      for await (const _event of recognised.stream('hi'));
      expect(sends(peer)).toBe(5);
      const keys = peer.got.slice(1).map(({ headers }) => headers['idempotency-key']);
      expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2]]);
    },
  );

  test("502 with an A2A error in its body is the agent's error, and not an unavailable gateway", async () => {
    const peer = await startPeer((_got, response) => failure(response, -32006, 'INVALID_AGENT_RESPONSE', 502));
    const agent = await connected(peer.url, { ...options, recognisesRepeats: true });
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
    expect(sends(peer)).toBe(1);
  });

  test('a call whose Retry-After lies after its deadline fails at once', async () => {
    const peer = await startPeer((_got, response) =>
      failure(response, -32603, 'UNAVAILABLE', 503, { 'retry-after': '3600' }),
    );
    const agent = await connected(peer.url, options);
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: 3_600_000 });
  });

  test('a read is repeated after a broken connection', async () => {
    const peer = await startPeer((_got, response, { got }) => {
      if (got.length < 3) response.destroy();
      else result(response, task());
    });
    const agent = await connected(peer.url, options);
    expect((await agent.get('t1')).id).toBe('t1');
    expect(peer.got).toHaveLength(3);
  });

  test('a call fails with sent: no if nothing listens at the address of the agent', async () => {
    const url = await unusedAddress();
    const agent = await connected(cardAt(url), { ...options, allowOrigins: [url], clock: skippingClock });
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'TRANSPORT_FAILED', details: { sent: 'no' } });
  });

  test('a timeout has a handle, by which another client can wait for the task', async () => {
    let isDone = false;
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SendStreamingMessage') stream(response)({ task: task('WORKING') }, 1);
      else
        result(
          response,
          isDone ? task('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'Late' }] }] }) : task('WORKING'),
        );
    });
    const agent = await connected(peer.url, options);
    const abort = new AbortController();
    const onProgress = (): void => abort.abort(new DOMException('too late', 'TimeoutError'));
    const error = (await agent.send('hi', { signal: abort.signal, onProgress }).catch((thrown: unknown) => thrown)) as {
      readonly details: { readonly handle: string };
    };
    expect(error).toMatchObject({ code: 'TIMEOUT', details: { handle: expect.any(String) } });
    isDone = true;
    const later = await connected(error.details.handle, options);
    expect((await later.task(error.details.handle).wait()).text).toBe('Late');
    expect(sends(peer)).toBe(1);
  });

  test('a call to an agent that never responds times out', async () => {
    const peer = await startPeer(() => {});
    const agent = await connected(peer.url, options);
    await expect(agent.send('hi', { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(agent.get('t1', { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  test('a timeout names the responses that rejected the last attempts', async () => {
    let gets = 0;
    const peer = await startPeer((_got, response) => {
      if (++gets === 1) result(response, task('WORKING'));
      else failure(response, -32603, 'UNAVAILABLE', 503);
    });
    const agent = await connected(peer.url, { ...options, retries: 0 });
    await expect(agent.task('t1').wait({ wait: 'poll', timeoutMs: 250 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringMatching(
        /^No result within 250 ms \(timeoutMs: 250\); .*attempts? failed.*: the agent responded with 503: /,
      ),
      cause: { code: 'UNAVAILABLE' },
    });
  });

  test('a call that is in progress when its client is closed names that as the reason', async () => {
    const peer = await startPeer((_got, _response, { got }) => void (got.length === 1 && void agent.close()));
    const agent = await connected(peer.url, options);
    await expect(agent.send('hi')).rejects.toMatchObject({
      code: 'TRANSPORT_FAILED',
      message: 'This client was closed while the call was in flight; is an `await` missing?',
      details: { sent: 'maybe' },
    });
    await expect(agent.get('t1')).rejects.toThrow('The client is closed');
  });

  test('a caller that aborts gets its own reason and the id of its message', async () => {
    const peer = await startPeer(() => {});
    const agent = await connected(peer.url, options);
    const abort = new AbortController();
    const reason = new Error('changed my mind');
    const sending = agent.send({ text: 'hi', messageId: 'm1' }, { signal: abort.signal });
    abort.abort(reason);
    const expected = { name: 'AbortError', message: 'changed my mind', cause: reason, details: { messageId: 'm1' } };
    await expect(sending).rejects.toMatchObject(expected);
    await expect(agent.send('hi', { signal: abort.signal })).rejects.toThrow('changed my mind');
    await expect(agent.get('t1', { signal: abort.signal })).rejects.toBe(reason);
  });

  test('a caller that aborts after a task was created gets its handle', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SendStreamingMessage') stream(response)({ task: task('WORKING') }, 1);
      else result(response, task());
    });
    const agent = await connected(peer.url, options);
    const abort = new AbortController();
    const onProgress = (): void => abort.abort();
    const error: unknown = await agent.send('hi', { signal: abort.signal, onProgress }).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'AbortError', cause: abort.signal.reason });
    const { handle = '' } = (error as CallAborted).details;
    const later = await connected(handle, options);
    expect((await later.task(handle).wait({ signal: new AbortController().signal })).state).toBe('completed');
    await expect(later.task(handle).wait({ signal: abort.signal })).rejects.toMatchObject({ details: { handle } });
    expect(sends(peer)).toBe(1);
  });

  test('one signal limits discovery, sending and waiting together', async () => {
    const late = await startPeer(() => {}, { card: () => {} });
    const end = AbortSignal.timeout(30);
    await expect(connected(late.url, { ...options, signal: end })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const peer = await startPeer((_got, response) => stream(response)({ task: task('WORKING') }, 1));
    const abort = new AbortController();
    const { signal } = abort;
    const agent = await connected(peer.url, { ...options, signal });
    const onProgress = (): void => abort.abort(new DOMException('too late', 'TimeoutError'));
    await expect(agent.ask('hi', { signal, onProgress })).rejects.toMatchObject({
      code: 'TIMEOUT',
      details: { handle: expect.any(String) },
    });
  });

  test.each<[string, (response: Parameters<typeof json>[0]) => void]>([
    ['an HTML page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['an empty body', (response) => void response.writeHead(200).end()],
    ['JSON that is not JSON-RPC', (response) => json(response, { hello: 'world' })],
    ['a task without an id', (response) => result(response, { task: { status: { state: 'TASK_STATE_COMPLETED' } } })],
    ['an empty stream', (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end()],
    [
      'a stream that is not JSON',
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: hello\n\n'),
    ],
    ['a body that is too large', (response) => json(response, 'x'.repeat(3000))],
    [
      'an event that is too large',
      (response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${'x'.repeat(3000)}\n\n`),
    ],
  ])('the client rejects %s as a response to a message, and does not send it again', async (_case, answer) => {
    const peer = await startPeer((_got, response) => answer(response));
    const agent = await connected(peer.url, { ...options, limits: { maxAnswerBytes: 2000, maxEventBytes: 2000 } });
    await expect(agent.send('hi')).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
    expect(sends(peer)).toBe(1);
  });

  test('the client sends a message without streaming if the agent does not support its declared streaming', async () => {
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SendStreamingMessage') failure(response, -32601, 'METHOD_NOT_FOUND');
      else if (rpc?.method === 'SendMessage') result(response, { task: task('WORKING') });
      else result(response, task('COMPLETED', status('COMPLETED', 'Done')['statusUpdate'] as Record<string, unknown>));
    });
    const agent = await connected(peer.url, options);
    expect(await agent.ask('hi')).toBe('Done');
  });

  test.each([
    ['METHOD_NOT_FOUND', -32601, undefined],
    ['VERSION_NOT_SUPPORTED', -32009, undefined],
    ['UNSUPPORTED_OPERATION', -32004, { capability: 'streaming' }],
  ])(
    'a message is not sent again after %s inside a stream, because the agent may have accepted it',
    async (reason, code, metadata) => {
      const peer = await startPeer(
        ({ rpc }, response) => {
          if (rpc?.method !== 'SendStreamingMessage') return result(response, { task: task() });
          const data = [
            { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org', metadata },
          ];
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(': welcome\n\n');
          response.end(
            `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message: 'an error', data } })}\n\n`,
          );
        },
        {
          card: (_got, response, { url }) =>
            json(response, {
              ...cardAt(url),
              supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
                url: `${url}/rpc`,
                protocolBinding: 'JSONRPC',
                protocolVersion,
              })),
            }),
        },
      );
      const agent = await connected(peer.url, options);
      await expect(agent.send('hi')).rejects.toMatchObject({
        code: reason,
        details: { messageId: expect.any(String) },
      });
      expect(peer.got).toHaveLength(1);
    },
  );

  test.each([
    ['UNSUPPORTED_OPERATION', -32004, 200],
    ['UNAUTHENTICATED', -32000, 200],
    ['UNAVAILABLE', -32603, 200],
    ['RATE_LIMIT_EXCEEDED', -32000, 200],
    ['INTERNAL_ERROR', -32603, 500],
  ])(
    'a message is not sent again after the error %s of the agent, which may have accepted it',
    async (reason, code, httpStatus) => {
      const peer = await startPeer((_got, response) =>
        failure(response, code, reason, httpStatus, { 'retry-after': '0' }),
      );
      const agent = await connected(peer.url, { ...options, auth: ['one', 'two'] });
      await expect(agent.send('hi')).rejects.toMatchObject({ code: reason });
      expect(sends(peer)).toBe(1);
    },
  );

  test('ask accepts a JSON response to a streaming request', async () => {
    const peer = await startPeer((_got, response) =>
      result(response, { task: task('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'Plain' }] }] }) }),
    );
    const agent = await connected(peer.url, options);
    expect(await agent.ask('hi')).toBe('Plain');
  });

  test('an onProgress that throws or rejects does not affect the call', async () => {
    const peer = await startPeer((_got, response) => {
      const write = stream(response);
      write({ task: task('WORKING') });
      write(status('COMPLETED', 'Done'));
      response.end();
    });
    const agent = await connected(peer.url, options);
    let progress = 0;
    const onProgress = (): never => {
      progress += 1;
      throw new Error('oops');
    };
    const rejecting = (() => Promise.reject(new Error('oops'))) as () => never;
    expect(await agent.ask('hi', { onProgress })).toBe('Done');
    expect(progress).toBe(2);
    expect(await agent.ask('hi', { onProgress: rejecting })).toBe('Done');
  });

  test('send returns a failed task and ask throws it, unless the option failed changes that', async () => {
    const peer = await startPeer((_got, response) =>
      result(response, {
        task: task('FAILED', {
          status: {
            state: 'TASK_STATE_FAILED',
            message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'No luck' }] },
          },
        }),
      }),
    );
    const agent = await connected(peer.url, options);
    expect(await agent.send('hi')).toMatchObject({ state: 'failed', text: 'No luck' });
    const failed = {
      code: 'TASK_FAILED',
      message: 'No luck',
      details: { state: 'failed', taskId: 't1', handle: expect.any(String) },
    };
    await expect(agent.send('hi', { failed: 'throw' })).rejects.toMatchObject(failed);
    await expect(agent.ask('hi')).rejects.toMatchObject(failed);
    expect(await agent.ask('hi', { failed: 'value' })).toBe('No luck');
  });
});
