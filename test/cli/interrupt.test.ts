import { text } from 'node:stream/consumers';

import { expect, test } from 'vitest';
import { frame, serveAgent, serveCard, servePeer } from './agents.ts';
import { tandem, TIMEOUT_MS } from './program.ts';

test.each([true, false])(
  'Ctrl-C cancels the task of send, with streaming: %s',
  { timeout: TIMEOUT_MS },
  async (streaming) => {
    const url = await serveAgent(
      async function* ({ signal }) {
        yield 'begun\n';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { streaming },
    );
    const sending = tandem(['send', url, 'go']);
    await sending.said(/^begun$/m);
    const { code, stdout, stderr } = await sending.kill('SIGINT');
    expect({ code, stdout }).toEqual({ code: 130, stdout: 'begun\n' });
    expect(stderr).toMatch(
      /^Canceling the task\. Press Ctrl-C again to exit at once\.\nThe task was canceled\.\nTask: .*\nContext: .*\nState: canceled\n$/,
    );
  },
);

test(
  'send prints the state that the agent reported after Ctrl-C, although the stream stays silent',
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const url = await serveCard((request, response) => {
      void text(request).then((body) => {
        if (body.includes('"CancelTask"')) {
          const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_CANCELED' } };
          return response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: task }));
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const artifact = { artifactId: 'a', parts: [{ text: 'begun\n' }] };
        return response.write(frame({ artifactUpdate: { taskId: 't1', contextId: 'c1', artifact } }));
      });
    });
    const sending = tandem(['send', url, 'go']);
    await sending.said(/^begun$/m);
    sending.child.kill('SIGINT');
    const { code, stderr } = await sending.ended;
    expect(stderr).toContain('State: canceled\n');
    expect(code).toBe(130);
  },
);

test(
  'a second Ctrl-C exits although the agent does not respond to the cancellation',
  { timeout: TIMEOUT_MS },
  async () => {
    let isStreaming = false;
    const url = await serveCard((request, response) => {
      // The first request is for the stream. The second, to cancel, gets no response.
      if (isStreaming) return;
      isStreaming = true;
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const artifact = { artifactId: 'a', parts: [{ text: 'begun\n' }] };
      response.write(frame({ artifactUpdate: { taskId: 't1', contextId: 'c1', artifact } }));
    });
    const sending = tandem(['send', url, 'go']);
    await sending.said(/^begun$/m);
    sending.child.kill('SIGINT');
    await sending.told(/Canceling/);
    // A signal that follows at once counts as the same key press, so one is not enough.
    const again = setInterval(() => sending.child.kill('SIGINT'), 50);
    expect(await sending.ended.finally(() => clearInterval(again))).toMatchObject({ code: 130, signal: null });
  },
);

test('send keeps printing a task that the agent does not cancel', { timeout: TIMEOUT_MS }, async () => {
  let finish = (): void => {};
  const until = new Promise<void>((resolve) => (finish = resolve));
  const peer = await servePeer({
    script: [['begun\n', { until }, 'done\n']],
    faults: [
      {
        fault: 'status',
        on: 'CancelTask',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: NOT_CANCELABLE,
      },
    ],
  });
  const sending = tandem(['send', peer.url, 'go']);
  await sending.said(/^begun$/m);
  sending.child.kill('SIGINT');
  await sending.told(/The agent did not cancel the task: Too late/);
  finish();
  expect(await sending.ended).toMatchObject({ code: 130, stdout: 'begun\ndone\n' });
});

const NOT_CANCELABLE = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'Too late' } });
