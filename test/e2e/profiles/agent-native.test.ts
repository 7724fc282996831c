/** The examples in the documentation of agent-native, called as its own client calls them. */
import { SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';

import { agent } from '../../../src/agent/agent.ts';
import { sharedSecret } from '../../../src/host/auth/jwt/shared-secret.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { callAgent, NativeClient } from '../../fixtures/peers/agent-native-client.ts';
import { serveOnSocket } from '../kit/server.ts';

const WORDS = 'There were 1,247 signups last week, most of them from the newsletter.';
const SECRET = 'a secret that all apps of the workspace share';

function analytics(gate = deferred<void>()) {
  return agent({
    name: 'Analytics Agent',
    description: 'Runs analytics queries and returns chart data',
    inputModes: ['*/*'],
    skills: [
      {
        id: 'run-query',
        name: 'Run Query',
        description: 'Execute a SQL query against the analytics database',
        tags: ['analytics', 'sql'],
        examples: ['Show me signups by source this month'],
      },
    ],
    async *run({ text, parts, caller, ask, reply, reject }) {
      switch (text) {
        case 'How many signups last week?':
          for (const word of WORDS.split(/(?<= )/)) yield word;
          return;
        case 'Which week?':
          yield `Week ${await ask('Which week do you mean?')}`;
          return;
        case 'Break':
          throw new Error('the password is in /etc/shadow');
        case 'Wait':
          yield { status: 'working', text: 'Counting…' };
          await gate.promise;
          return yield 'Counted.';
        case 'Reply':
          return reply('Just words');
        case 'Reject':
          return reject('Not for me');
        case 'Who am I?':
          return yield caller.id;
        case 'Chart':
          yield { artifact: 'chart', data: { bars: [1, 2] } };
          return;
        default:
          yield parts.map((part) => Object.keys(part).toString()).join(' ');
      }
    },
  });
}

const serveAnalytics = (options = {}) => serveOnSocket(analytics(), { profile: 'agent-native', ...options });
const says = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

describe('callAgent()', () => {
  test.each([
    ['polls, by default', '', true],
    ['blocks with { async: false }', '', false],
    ['polls at the address of the endpoint', '/_agent-native/a2a', true],
  ])('gets the whole text of a streamed response: %s', async (_, path, async) => {
    const { url } = await serveAnalytics();
    expect(await callAgent(url + path, 'How many signups last week?', { async })).toBe(WORDS);
  });

  test('finds the endpoint on a server that has every profile', async () => {
    const { url } = await serveAnalytics({ profile: ['rxjs', 'corvid', 'agent-native'] });
    expect(await callAgent(url, 'How many signups last week?')).toBe(WORDS);
  });

  test.each([true, false])('ends with the question of the agent, async: %s', async (async) => {
    const { url } = await serveAnalytics();
    await expect(callAgent(url, 'Which week?', { async })).rejects.toThrow('input-required: Which week do you mean?');
  });

  test.each([true, false])('ends with a failure that names a reference and no internals, async: %s', async (async) => {
    const { url } = await serveAnalytics();
    await expect(callAgent(url, 'Break', { async })).rejects.toThrow(/ended failed: The agent failed\. Reference: /);
  });

  test('gets a rejected task as failed, because its client would poll a rejected one until it gives up', async () => {
    const { url } = await serveAnalytics();
    await expect(callAgent(url, 'Reject')).rejects.toThrow('ended failed: Not for me');
  });

  test.each([true, false])('gets the text of an agent that replies with a message alone, async: %s', async (async) => {
    const { url } = await serveAnalytics();
    expect(await callAgent(url, 'Reply', { async })).toBe('Just words');
  });

  test('gets a list of artifacts if the response has no text', async () => {
    const { url } = await serveAnalytics();
    const { artifacts } = await new NativeClient(url).send(says('Chart'));
    expect(artifacts).toMatchObject([{ name: 'chart', parts: [{ type: 'data', data: { bars: [1, 2] } }] }]);
  });
});

describe('A2AClient', () => {
  test('getAgentCard() has the skills of the agent', async () => {
    const { url } = await serveAnalytics();
    expect(await new NativeClient(url).getAgentCard()).toMatchObject({
      name: 'Analytics Agent',
      skills: [{ id: 'run-query', examples: ['Show me signups by source this month'] }],
    });
  });

  test('send() returns the completed task with the response in status.message', async () => {
    const { url } = await serveAnalytics();
    const task = await new NativeClient(url).send(says('How many signups last week?'));
    expect(task.status).toMatchObject({
      state: 'completed',
      message: { role: 'agent', parts: [{ type: 'text', text: WORDS }] },
    });
    expect(task.artifacts).toMatchObject([{ parts: [{ type: 'text', text: WORDS }] }]);
  });

  test('send() takes the parts of the documentation: text, data and file', async () => {
    const { url } = await serveAnalytics();
    const task = await new NativeClient(url).send({
      role: 'user',
      parts: [
        { type: 'text', text: 'Show signups by source' },
        { type: 'data', data: { dateRange: 'last-30d' } },
        { type: 'file', file: { name: 'report.csv', mimeType: 'text/csv', bytes: 'YSxi' } },
      ],
    });
    expect(task.status.message?.parts).toEqual([{ type: 'text', text: 'text data raw,filename,mediaType' }]);
  });

  test('send() with async: true returns a task at work, which tasks/get polls to the end', async () => {
    const gate = deferred<void>();
    const { url } = await serveOnSocket(analytics(gate), { profile: 'agent-native' });
    const client = new NativeClient(url);
    const { id, status } = await client.send(says('Wait'), { async: true });
    expect(status.state).toBe('working');
    await expect
      .poll(async () => (await client.getTask(id)).status.message?.parts)
      .toMatchObject([{ text: 'Counting…' }]);
    gate.resolve();
    await expect
      .poll(async () => (await client.getTask(id)).status)
      .toMatchObject({
        state: 'completed',
        message: { parts: [{ type: 'text', text: 'Counted.' }] },
      });
  });

  test('cancel() cancels a running task and leaves a completed one as it is, which agent-native does not', async () => {
    const { url } = await serveAnalytics();
    const client = new NativeClient(url);
    const { id } = await client.send(says('Wait'), { async: true });
    expect((await client.cancel(id)).status.state).toBe('canceled');
    const done = await client.send(says('How many signups last week?'));
    await expect(client.cancel(done.id)).rejects.toThrow('A2A error (-32002)');
    expect((await client.getTask(done.id)).status.state).toBe('completed');
  });

  test('stream() yields whole tasks whose status message grows', async () => {
    const { url } = await serveAnalytics();
    const seen: string[] = [];
    for await (const { status } of new NativeClient(url).stream(says('How many signups last week?'))) {
      seen.push(`${status.state}: ${status.message?.parts[0]?.text ?? ''}`);
    }
    expect(seen[0]).toBe('submitted: ');
    expect(seen.some((line) => line.startsWith('working: There'))).toBe(true);
    expect(seen.at(-1)).toBe(`completed: ${WORDS}`);
  });

  test('stream() of thousands of chunks ends with the whole text', async () => {
    const chatty = agent({
      name: 'Chatty',
      description: 'Says a lot.',
      async *run() {
        for (let i = 0; i < 5000; i++) yield `${i} `;
      },
    });
    const { url } = await serveOnSocket(chatty, { profile: 'agent-native' });
    let last: unknown;
    for await (const task of new NativeClient(url).stream(says('Go'))) last = task;
    const text = Array.from({ length: 5000 }, (_, i) => `${i} `).join('');
    expect(last).toMatchObject({ status: { state: 'completed', message: { parts: [{ text }] } } });
  });

  test('stream() ends with a question as input-required, where agent-native sends completed', async () => {
    const { url } = await serveAnalytics();
    const states: string[] = [];
    for await (const { status } of new NativeClient(url).stream(says('Which week?'))) states.push(status.state);
    expect(states.at(-1)).toBe('input-required');
  });

  test('a repeated send with the same idempotencyKey returns the same task', async () => {
    const { url } = await serveAnalytics();
    const client = new NativeClient(url);
    const options = { idempotencyKey: 'auto:1', async: true };
    const [first, second] = [await client.send(says('Wait'), options), await client.send(says('Wait'), options)];
    expect(second.id).toBe(first.id);
    await expect(client.send(says('Wait'), { idempotencyKey: 'k'.repeat(256) })).rejects.toThrow(
      'Expected params.idempotencyKey to have 1 to 255 characters',
    );
  });

  test('a contextId beside the message is the context of the task', async () => {
    const { url } = await serveAnalytics();
    const task = await new NativeClient(url).send(says('How many signups last week?'), { contextId: 'thread-7' });
    expect(task.contextId).toBe('thread-7');
  });
});

describe('authentication', () => {
  function tokenOf(secret: string, claims: Record<string, string> = {}): Promise<string> {
    const jwt = new SignJWT({ sub: 'ann@example.com', ...claims }).setProtectedHeader({ alg: 'HS256' });
    return jwt.setIssuer('http://localhost:3000').setExpirationTime('15m').sign(new TextEncoder().encode(secret));
  }

  test.each([
    ['an object', { 'Acme.com': 'the secret of Acme, which is long enough' }],
    [
      'a function',
      (domain: string) => (domain === 'acme.com' ? 'the secret of Acme, which is long enough' : undefined),
    ],
  ])('accepts a JWT of the shared secret, or of an organisation whose secret is in %s', async (_, orgs) => {
    const { url } = await serveAnalytics({ auth: sharedSecret({ secret: SECRET, orgs }) });
    const whoIs = async (apiKey: string) => callAgent(url, 'Who am I?', { apiKey });
    expect(await whoIs(await tokenOf(SECRET))).toBe('shared#ann@example.com');
    const acme = await tokenOf('the secret of Acme, which is long enough', { org_domain: 'acme.com' });
    expect(await whoIs(acme)).toBe('org:acme.com#ann@example.com');
    const other = await tokenOf('the secret of Acme, which is long enough', { org_domain: 'other.com' });
    await expect(whoIs(other)).rejects.toThrow('A2A request failed (401)');
  });

  test('accepts the key that apiKeyEnv names, beside JWTs', async () => {
    process.env['ANALYTICS_API_KEY'] = 'k-1234567890';
    onTestFinished(() => void delete process.env['ANALYTICS_API_KEY']);
    const { url } = await serveAnalytics({ apiKeyEnv: 'ANALYTICS_API_KEY', auth: sharedSecret({ secret: SECRET }) });
    expect(await callAgent(url, 'Who am I?', { apiKey: 'k-1234567890' })).toBe('ANALYTICS_API_KEY');
    expect(await callAgent(url, 'Who am I?', { apiKey: await tokenOf(SECRET) })).toBe('shared#ann@example.com');
    await expect(callAgent(url, 'Who am I?', { apiKey: 'k-0' })).rejects.toThrow('A2A request failed (401)');
    await expect(callAgent(url, 'Who am I?')).rejects.toThrow('A2A request failed (401)');
  });

  test('an apiKeyEnv that is not set stops the start instead of opening the agent', async () => {
    await expect(serveAnalytics({ apiKeyEnv: 'NOT_SET_ANYWHERE' })).rejects.toThrow(
      'apiKeyEnv: names NOT_SET_ANYWHERE, which is not set in the environment',
    );
  });
});
