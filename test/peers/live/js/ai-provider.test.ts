import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../../src/node/index.ts';
import { silentLog } from '../../../../src/observe/log.ts';
import { agent, memoryStore } from '../../../../src/server/index.ts';
import { serveTestAgent } from '../../test-agent.ts';
import { startProgram } from '../program.ts';

const program = startProgram('js/ai-provider');

test('a2a-ai-provider generates the text of an agent', async () => {
  const { url } = await serveTestAgent();
  expect(await program.call('generate', { url, prompt: 'greet' })).toMatchObject({ text: 'Good morning.' });
  expect(await program.call('generate', { url, prompt: 'report' })).toMatchObject({
    text: expect.stringContaining('One, two, three.'),
  });
});

test('a2a-ai-provider streams the text of an agent', async () => {
  const { url } = await serveTestAgent();
  const chunks = (await program.call('stream', { url, prompt: 'report' })) as readonly string[];
  expect(chunks.join('')).toContain('One, two, three.');
});

test('a2a-ai-provider gets a file, although it accepts only text/plain', async () => {
  const bytes = [0x89, 0x50, 0x4e, 0x47, 1, 2, 3];
  const painter = agent({
    name: 'Painter',
    description: 'Paints.',
    run: async () => ({ artifact: 'image.png', bytes: Uint8Array.from(bytes), mediaType: 'image/png' }),
  });
  const server = await serve(painter, { port: 0, store: memoryStore(), log: silentLog });
  onTestFinished(() => server.close({ finishMs: 0 }));
  expect(await program.call('generate', { url: server.url, prompt: 'paint' })).toMatchObject({
    files: [{ mediaType: 'image/png', bytes }],
  });
});
