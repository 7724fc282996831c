import { expect, test } from 'vitest';
import { connected } from './kit.ts';
import { result, startPeer, task } from './peer.ts';

test('send and ask throw for a task that completes without content only with empty: throw', async () => {
  const peer = await startPeer((_got, response) => result(response, { task: task('COMPLETED') }));
  const agent = await connected(peer.url, {});
  expect(await agent.send('hi', { wait: 'block' })).toMatchObject({ state: 'completed', text: '' });
  expect(await agent.ask('hi', { wait: 'block' })).toBe('');
  const failure = { code: 'INVALID_AGENT_RESPONSE', details: { taskId: 't1', state: 'completed' } };
  await expect(agent.send('hi', { wait: 'block', empty: 'throw' })).rejects.toMatchObject(failure);
  await expect(agent.ask('hi', { wait: 'block', empty: 'throw' })).rejects.toMatchObject(failure);
});
