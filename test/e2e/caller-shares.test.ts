/** Which caller's share of slots and queue a task counts against. The share does not affect access to the task. */
import { expect, onTestFinished, test } from 'vitest';

import { silentLog } from '../../src/observe/log.ts';
import { agent } from '../../src/agent/agent.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { createHandler, type AgentHandler } from '../../src/server/handler.ts';
import type { HandlerOptions } from '../../src/server/options/handler-options.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { NewTask, Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';

interface Subject {
  readonly created: readonly NewTask[];
  /** Sends a message and returns the id and the state of its task. */
  send(
    text: string,
    from: string | undefined,
    token?: string,
  ): Promise<{ readonly id: string; readonly state: string }>;
  get(id: string, from: string | undefined): Promise<number>;
}

interface TaskJson {
  readonly id: string;
  readonly status: { readonly state: string };
}

/** An agent with two slots, of which one caller gets one. The message `stay` keeps its slot. */
function subject(options: Partial<HandlerOptions> = {}): Subject {
  const created: NewTask[] = [];
  const inner = memoryStore();
  const store: Store = new Proxy(inner, {
    get(target, name) {
      if (name === 'create')
        return (task: NewTask, accepted?: Parameters<Store['create']>[1]) => {
          created.push(task);
          return target.create(task, accepted);
        };
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const door = deferred<void>();
  const patient = agent({
    name: 'Patient',
    description: 'Answers at once, or stays at work.',
    concurrency: 2,
    async run({ text }) {
      if (text === 'stay') await door.promise;
      return `You said ${text}`;
    },
  });
  const handler: AgentHandler = createHandler(patient, {
    insecurePublic: true,
    log: silentLog,
    store,
    ...options,
  });
  onTestFinished(async () => {
    door.resolve();
    await handler.close();
  });
  const ask = (path: string, init: RequestInit, from: string | undefined): Promise<Response> =>
    handler.fetch(new Request(`http://agent.example${path}`, init), from === undefined ? {} : { remoteAddress: from });
  let messages = 0;
  return {
    created,
    async send(text, from, token) {
      const body = JSON.stringify({
        message: { messageId: `m-${++messages}`, role: 'ROLE_USER', parts: [{ text }] },
        configuration: { returnImmediately: text === 'stay' },
      });
      const headers = {
        'content-type': 'application/json',
        'a2a-version': '1.0',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const response = await ask('/message:send', { method: 'POST', headers, body }, from);
      const { task } = (await response.json()) as { readonly task: TaskJson };
      return { id: task.id, state: task.status.state };
    },
    get: async (id, from) => (await ask(`/tasks/${id}`, { headers: { 'a2a-version': '1.0' } }, from)).status,
  };
}

test('anonymous callers of other addresses get a slot while one address floods the agent', async () => {
  const { send, get } = subject();
  for (let i = 0; i < 3; i++) await send('stay', '203.0.113.1');

  const { id, state } = await send('hi', '203.0.113.2');

  expect(state).toBe('TASK_STATE_COMPLETED');
  // All anonymous callers are still one owner.
  expect(await get(id, '203.0.113.1')).toBe(200);
});

test('the addresses of one IPv6 network share a slot, and so do both forms of an IPv4 address', async () => {
  const { send, created } = subject();
  for (const from of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1', '192.0.2.1', '::ffff:192.0.2.1'])
    await send('hi', from);

  const [first, second, other, plain, mapped] = created.map(({ fairnessKey }) => fairnessKey);
  expect([second, mapped]).toEqual([first, plain]);
  expect(new Set([first, other, plain]).size).toBe(3);
});

test('the store gets a short hash of an address and never the address', async () => {
  const { send, created } = subject();
  await send('hi', '203.0.113.7');

  expect(created[0]?.fairnessKey).toMatch(/^address-[0-9a-z]{3}$/);
  expect(JSON.stringify(created)).not.toContain('203.0.113');
});

test('authenticated callers, and anonymous callers without an address, have no fairness key', async () => {
  const { send, created } = subject({ auth: bearerTokens({ alice: 'secret-of-alice' }) });
  await send('hi', '203.0.113.7', 'secret-of-alice');
  const open = subject();
  await open.send('hi', undefined);

  expect(created).toMatchObject([{ owner: 'alice' }]);
  expect(open.created).toMatchObject([{ owner: 'anonymous' }]);
  expect([...created, ...open.created].map(({ fairnessKey }) => fairnessKey)).toEqual([undefined, undefined]);
});
