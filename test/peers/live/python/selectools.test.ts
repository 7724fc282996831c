import { describe, expect, test } from 'vitest';
import { agent as createAgent } from '../../../../src/agent/agent.ts';
import { bearerTokens } from '../../../../src/host/auth/bearer-tokens.ts';
import { serveOnSocket } from '../../../e2e/kit/server.ts';
import { connected } from '../../our-client-behaviours.ts';
import { all } from '../../peer.ts';
import { startProgram } from '../program.ts';

const program = startProgram('python/selectools');

const researcher = createAgent({
  name: 'researcher',
  description: 'Research agent that summarizes topics',
  skills: [{ id: 'summarize', name: 'summarize', description: 'Summarize a text', tags: ['tool'] }],
  async *run({ text }) {
    if (text === 'fail') throw new Error('broken');
    yield 'You asked: ';
    yield text;
  },
});

describe('A2AClient of selectools and our server', () => {
  test('client.discover() reads name and skills', async () => {
    const { url } = await serveOnSocket(researcher);
    expect(await program.call('discover', { url })).toEqual({ name: 'researcher', skills: ['summarize'] });
  });

  test('client.send_task() and get_task() read state and text', async () => {
    const { url } = await serveOnSocket(researcher, { auth: bearerTokens({ ann: 'sk-0123456789abcdef' }) });
    const text = 'Research quantum computing trends';
    expect(await program.call('send', { url, text, token: 'sk-0123456789abcdef' })).toMatchObject({
      state: 'completed',
      text: `You asked: ${text}`,
      again: 'completed',
    });
    await expect(program.call('send', { url, text, token: 'sk-wrong' })).rejects.toMatchObject({ name: 'A2AError' });
  });

  test('client.send_task() reports a failed task with its error', async () => {
    const { url } = await serveOnSocket(researcher);
    expect(await program.call('send', { url, text: 'fail' })).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^The agent failed\. Reference: /) as string,
    });
  });
});

describe('our client and A2AServer of selectools', () => {
  const serve = async (args: object = {}): Promise<string> => (await program.call('serve', args)) as string;

  test('it discovers, asks and reads the task', async () => {
    const agent = await connected(await serve({ token: 'sk-1' }), { auth: 'sk-1' });
    expect(agent.card.skills.map(({ id }) => id)).toEqual(['summarize']);
    const reply = await agent.send('hello');
    expect(reply).toMatchObject({ state: 'completed', text: expect.stringContaining('hello') as string });
    expect(await agent.get(reply.task?.id ?? '')).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    expect(await all(agent.task(reply.task?.id ?? '').subscribe())).toMatchObject([{ state: 'completed' }]);
  });

  test('it reports a failed task, a missing token, and a cancel that selectools never does', async () => {
    const agent = await connected(await serve());
    const failed = await agent.send('fail');
    expect(failed).toMatchObject({ state: 'failed', text: expect.stringContaining('failed') as string });
    await expect(agent.cancel(failed.task?.id ?? '')).rejects.toMatchObject({ code: 'TASK_NOT_CANCELABLE' });
    const locked = await connected(await serve({ token: 'sk-1' }));
    await expect(locked.ask('hello')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
