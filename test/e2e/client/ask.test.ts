import { describe, expect, test } from 'vitest';

import { A2AError } from '../../../src/errors.ts';
import { agent as define } from '../../../src/agent/agent.ts';
import { serveOnSocket, startServer } from '../kit/server.ts';
import { connected, TRANSPORTS } from './kit.ts';
import { json, startPeer } from './peer.ts';

const CLERK = define({
  name: 'Clerk',
  description: 'Asks before it books.',
  async run({ text, ask, authorize }) {
    if (text === 'plain') return `Off to ${await ask('Where to?')}`;
    if (text === 'login') return `Read with ${await authorize('Please log in')}`;
    return (await ask({ confirm: 'Really?' })) ? 'Booked' : 'Nothing booked';
  },
});

/** The error that a call is rejected with. */
async function rejection(call: Promise<unknown>): Promise<A2AError> {
  try {
    await call;
  } catch (error) {
    return A2AError.is(error) ? error : expect.fail(`Expected an A2AError, got ${String(error)}`);
  }
  return expect.fail('Expected a rejection');
}

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('ask returns the text of the reply', async () => {
    const { url } = await startServer();
    const agent = await connected(url, options);
    expect(await agent.ask('hello there')).toBe('hello there');
  });

  test('the text of a reply comes from the artifacts of the task, or from the message if there is no task', async () => {
    const { url } = await startServer();
    const agent = await connected(url, options);
    const story = await agent.send('story');
    expect(story).toMatchObject({ kind: 'task', state: 'completed', text: 'Roses are red\nMind the thorns' });
    const reply = await agent.send('reply Hi!');
    expect(reply).toMatchObject({ kind: 'message', text: 'Hi!', task: undefined, handle: undefined });
  });

  test.each([
    ['by default', {}],
    ['by blocking', { wait: 'block' }],
    ['by polling', { wait: 'poll' }],
    ['with failed: value', { failed: 'value' }],
  ] as const)('ask %s throws a question with the details needed to answer it', async (_, how) => {
    const { url } = await serveOnSocket(CLERK);
    const agent = await connected(url, options);
    const error = await rejection(agent.ask('book Rome', how));

    const { handle = '', taskId = '', questionData = '' } = error.details;
    expect(error).toMatchObject({
      code: 'INPUT_REQUIRED',
      message: expect.stringMatching(/^The agent asked a question \(.*\): Really\? \(yes\/no\)$/),
    });
    expect(error.details).toMatchObject({ question: 'Really? (yes/no)', state: 'input-required' });
    expect(JSON.parse(questionData)).toEqual({ kind: 'confirm', text: 'Really?', schema: { type: 'boolean' } });
    expect(agent.task(handle).id).toBe(taskId);
    expect(await agent.task(handle).answer('yes')).toMatchObject({ state: 'completed', text: 'Booked' });
  });

  test('ask throws a question without a schema without questionData', async () => {
    const { url } = await serveOnSocket(CLERK);
    const agent = await connected(url, options);
    const { code, details } = await rejection(agent.ask('plain'));

    expect([code, details['question'], details['questionData']]).toEqual(['INPUT_REQUIRED', 'Where to?', undefined]);
  });

  test('ask throws AUTH_REQUIRED for a task that waits for an authorization', async () => {
    const { url } = await serveOnSocket(CLERK);
    const agent = await connected(url, options);
    const error = await rejection(agent.ask('login'));

    expect(error).toMatchObject({
      code: 'AUTH_REQUIRED',
      message: expect.stringMatching(/^The agent requires an authorization \(.*\): Please log in$/),
    });
    expect(error.details).toMatchObject({ question: 'Please log in', state: 'auth-required' });
    expect((await agent.task(error.details['handle'] ?? '').get()).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  test('a question that ask threw can be answered with ask', async () => {
    const { url } = await startServer();
    const agent = await connected(url, options);
    const { details } = await rejection(agent.ask('ask'));

    expect(await agent.ask('Rome', { taskId: details['taskId'] ?? '' })).toBe('Off to Rome');
  });

  test('ask rejects the option wait: none', async () => {
    const { url } = await startServer();
    const agent = await connected(url, options);

    expect(await rejection(agent.ask('hello', { wait: 'none' as never }))).toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('a handle in the details of an agent’s error is removed', async () => {
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TIMEOUT', domain: 'a2a-protocol.org' };
    const metadata = { handle: 'task1_evil', sent: 'no', fact: 'kept' };
    const error = { code: -32603, message: 'No', data: [{ ...info, metadata }] };
    const peer = await startPeer((_got, response) => json(response, { jsonrpc: '2.0', id: 1, error }));
    const agent = await connected(peer.url, options);
    const { details } = await rejection(agent.get('t1'));

    expect(details).toEqual({ fact: 'kept' });
  });
});
