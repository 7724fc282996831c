/**
 * The client of `@agent-native/core` against an agent with the profile `agent-native`. Runs with the live peers only.
 *
 * The package as a whole cannot be installed where one of its own dependencies is missing from the registry, and its client needs
 * none of them but `jose`: `npm pack @agent-native/core@0.133.3`, unpacked into `node_modules/@agent-native/core` beside this folder.
 */
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { serve } from '../../../../src/node/serve.ts';
import { silentLog } from '../../../../src/observe/log.ts';
import { agent } from '../../../../src/server/agent.ts';
import type { HandlerOptions } from '../../../../src/server/handler-options.ts';
import { sharedSecret } from '../../../../src/server/auth/shared-secret.ts';
import { memoryStore } from '../../../../src/store/memory/store.ts';

interface Task {
  readonly id: string;
  readonly status: { readonly state: string; readonly message?: { readonly parts: readonly unknown[] } };
}

interface Client {
  getAgentCard(): Promise<{ readonly skills: readonly unknown[] }>;
  send(message: unknown, options?: object): Promise<Task>;
  sendAndWait(message: unknown, options?: object): Promise<Task>;
  stream(message: unknown): AsyncIterable<Task>;
}

interface AgentNative {
  callAgent(url: string, text: string, options?: object): Promise<string>;
  readonly A2AClient: new (url: string, apiKey?: string) => Client;
}

const CLIENT = new URL('../node_modules/@agent-native/core/dist/a2a/client.js', import.meta.url).href;
const WORDS = 'There were 1,247 signups last week, most of them from the newsletter.';
const SECRET = 'a secret that all apps of the workspace share';
const POLL = { pollIntervalMs: 10 };

let native: AgentNative;
beforeAll(async () => {
  // The client logs each of its requests.
  vi.spyOn(console, 'log').mockImplementation(() => {});
  native = (await import(/* @vite-ignore */ CLIENT)) as AgentNative;
});

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

/** Its client calls no private address unless the environment names its origin. */
async function start(options: HandlerOptions = {}): Promise<string> {
  const server = await serve(analytics, {
    port: 0,
    store: memoryStore(),
    log: silentLog,
    profile: ['agent-native', 'corvid', 'rxjs'],
    ...options,
  });
  vi.stubEnv('AGENT_NATIVE_A2A_ALLOWED_ORIGINS', server.url);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close({ finishMs: 0 });
  });
  return server.url;
}

const says = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

describe('@agent-native/core', () => {
  test.each([true, false])('callAgent() gets the whole response, async: %s', async (async) => {
    expect(await native.callAgent(await start(), 'How many signups last week?', { async, ...POLL })).toBe(WORDS);
  });

  test('callAgent() throws with the question of an agent, and with its failure', async () => {
    const url = await start();
    await expect(native.callAgent(url, 'Ask', POLL)).rejects.toThrow('ended input-required: Which week?');
    await expect(native.callAgent(url, 'Break', POLL)).rejects.toThrow('ended failed: The agent failed. Reference: ');
  });

  test('callAgent() is known by the JWT that it signs with A2A_SECRET', async () => {
    const url = await start({ auth: sharedSecret({ secret: SECRET }) });
    vi.stubEnv('A2A_SECRET', SECRET);
    const options = { userEmail: 'ann@example.com', ...POLL };
    expect(await native.callAgent(url, 'Who am I?', options)).toBe('shared#ann@example.com');
    await expect(native.callAgent(url, 'Who am I?', { apiKey: 'wrong', ...POLL })).rejects.toThrow('(401)');
  });

  test('callAgent() is known by the key that apiKeyEnv names', async () => {
    vi.stubEnv('ANALYTICS_API_KEY', 'k-1234567890');
    const url = await start({ apiKeyEnv: 'ANALYTICS_API_KEY' });
    expect(await native.callAgent(url, 'Who am I?', { apiKey: 'k-1234567890', ...POLL })).toBe('ANALYTICS_API_KEY');
  });

  test('A2AClient reads the card, sends, waits and streams', async () => {
    const client = new native.A2AClient(await start());
    expect((await client.getAgentCard()).skills).toHaveLength(1);
    const parts = [{ type: 'text', text: WORDS }];
    expect((await client.send(says('Count'))).status).toMatchObject({ state: 'completed', message: { parts } });
    expect((await client.sendAndWait(says('Count'), POLL)).status).toMatchObject({ message: { parts } });
    const states: string[] = [];
    let last: Task | undefined;
    for await (const task of client.stream(says('Count'))) {
      states.push(task.status.state);
      last = task;
    }
    expect(states.at(-1)).toBe('completed');
    expect(last?.status.message).toMatchObject({ parts });
  });
});
