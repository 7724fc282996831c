/** The client of `@agent-native/core` and an agent with the profile `agent-native`. */
import { describe, expect, test, vi } from 'vitest';
import type { ServeOptions } from '../../../../src/node/serve.ts';
import { agent } from '../../../../src/agent/agent.ts';
import { sharedSecret } from '../../../../src/host/auth/jwt/shared-secret.ts';
import { serveOnSocket } from '../../../e2e/kit/server.ts';
import { all } from '../../peer.ts';
import { startProgram } from '../program.ts';

const program = startProgram('js/agent-native');

const WORDS = 'There were 1,247 signups last week, most of them from the newsletter.';
const SECRET = 'a secret that all apps of the workspace share';
const POLL = { pollIntervalMs: 10 };

const analytics = agent({
  name: 'Analytics Agent',
  description: 'Runs analytics queries',
  async *run({ text, ask, caller }) {
    if (text === 'Who am I?') yield caller.id;
    else if (text === 'Ask') yield await ask('Which week?');
    else if (text === 'Break') throw new Error('broken');
    else for (const word of WORDS.split(/(?<= )/)) yield word;
  },
});

async function start(options: ServeOptions = {}): Promise<string> {
  const { url } = await serveOnSocket(analytics, { profile: ['agent-native', 'corvid', 'rxjs'], ...options });
  return url;
}

const message = { role: 'user', parts: [{ type: 'text', text: 'Count' }] };

describe('@agent-native/core', () => {
  test.each([true, false])('callAgent() gets the whole response, async: %s', async (async) => {
    const args = { url: await start(), text: 'How many signups last week?', options: { async, ...POLL } };
    expect(await program.call('callAgent', args)).toBe(WORDS);
  });

  test('callAgent() throws the question of an agent, and its failure', async () => {
    const url = await start();
    const calling = (text: string) => program.call('callAgent', { url, text, options: POLL });
    await expect(calling('Ask')).rejects.toThrow('ended input-required: Which week?');
    await expect(calling('Break')).rejects.toThrow('ended failed: The agent failed. Reference: ');
  });

  test('callAgent() authenticates with the JWT that it signs with A2A_SECRET', async () => {
    const url = await start({ auth: sharedSecret({ secret: SECRET }) });
    const calling = (options: object) =>
      program.call('callAgent', { url, text: 'Who am I?', options: { ...options, ...POLL }, secret: SECRET });
    expect(await calling({ userEmail: 'ann@example.com' })).toBe('shared#ann@example.com');
    await expect(calling({ apiKey: 'wrong' })).rejects.toThrow('(401)');
  });

  test('callAgent() authenticates with the key that apiKeyEnv names', async () => {
    vi.stubEnv('ANALYTICS_API_KEY', 'k-1234567890');
    const url = await start({ apiKeyEnv: 'ANALYTICS_API_KEY' });
    vi.unstubAllEnvs();
    const options = { apiKey: 'k-1234567890', ...POLL };
    expect(await program.call('callAgent', { url, text: 'Who am I?', options })).toBe('ANALYTICS_API_KEY');
  });

  test('A2AClient reads the card, sends, waits and streams', async () => {
    const url = await start();
    const completed = { status: { state: 'completed', message: { parts: [{ type: 'text', text: WORDS }] } } };
    expect(await program.call('card', { url })).toMatchObject({ skills: { length: 1 } });
    expect(await program.call('send', { url, message })).toMatchObject(completed);
    expect(await program.call('sendAndWait', { url, message, options: POLL })).toMatchObject(completed);
    const tasks = await all(program.stream('stream', { url, message }));
    expect(tasks.at(-1)).toMatchObject(completed);
  });
});
