import { describe, expect, test } from 'vitest';

import { startServer } from '../kit/server.ts';
import { connected, TRANSPORTS } from './kit.ts';

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('ask gives the text of the answer', async () => {
    const { url } = await startServer();
    const agent = await connected(url, options);
    expect(await agent.ask('hello there')).toBe('hello there');
  });

  test('the text of a task comes from its artifacts, of a bare message from the message', async () => {
    const { url } = await startServer();
    const agent = await connected(url, options);
    const story = await agent.send('story');
    expect(story).toMatchObject({ kind: 'task', state: 'completed', text: 'Roses are red\nMind the thorns' });
    const reply = await agent.send('reply Hi!');
    expect(reply).toMatchObject({ kind: 'message', text: 'Hi!', task: undefined, handle: undefined });
  });
});
