/** A task that requests a credential: its state, the two ways to supply the credential, and who sees it (1.0 §7.6). */
import { describe, expect, test } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import { serveOnSocket } from './kit/server.ts';
import { nextOf, restOf } from './kit/tasks.ts';
import { FORMATS_1, RPC_01, RPC_1, FORMATS_SINCE_02, type WireFormat, WIRE_FORMATS } from './kit/wire-formats.ts';
import type { MessageInput, DecodedTask } from './kit/wire-formats/wire-format.ts';

const SECRET = 'hunter2';

const CALLERS = [
  { id: 'ann', isVerified: true },
  { id: 'bob', isVerified: true },
] as const;

const MAIL = agent({
  name: 'Mail',
  description: 'Reads your mail',
  async *run({ authorize, inbox }) {
    const token = await authorize({ text: 'I need to read your mail', url: 'https://mail.example/login' });
    const messages = (await inbox.take()).map(({ text }) => text);
    // The artifact proves that the handler has the credential, without containing it.
    yield { artifact: 'mail', text: `${token.length} letters; messages: ${messages.join(', ')}` };
  },
});

interface Mail {
  send(format: WireFormat, input: MessageInput): Promise<DecodedTask>;
  get(format: WireFormat, id: string): Promise<DecodedTask>;
  readonly server: Awaited<ReturnType<typeof serveOnSocket>>;
  readonly store: ReturnType<typeof memoryStore>;
  readonly logged: unknown[];
  /** Everything that is stored of the tasks, and every line of the log. */
  traces(): Promise<string>;
}

async function open(): Promise<Mail> {
  const store = memoryStore();
  const logged: unknown[] = [];
  const take = (...fields: readonly unknown[]): void => void logged.push(fields);
  const log = { info: take, warn: take, error: take };
  const server = await serveOnSocket(MAIL, { store, log, auth: knownCallers(...CALLERS) });
  return {
    server,
    store,
    logged,
    async send(format, input) {
      const sent = format.sent(await server.ask(as('ann', format.send(input))));
      return 'task' in sent ? sent.task : expect.fail('Expected a task');
    },
    get: async (format, id) => format.task(await server.ask(as('ann', format.get(id)))),
    async traces() {
      const { tasks } = await store.list({ tenant: '', owner: 'ann' }, { limit: 10, artifacts: true });
      const inner = await Promise.all(
        tasks.map(({ record: { id } }) => Promise.all([store.journal(id), store.events(id, 0, 100)])),
      );
      return JSON.stringify([tasks, inner, logged]);
    },
  };
}

/** A part that only the handler may see, in a wire format. */
function secretPart(format: WireFormat): object {
  const metadata = { 'urn:tandem-a2a:sensitive:1': true };
  if (format === RPC_01) return { type: 'text', text: SECRET, metadata };
  const hasKind = format.binding === 'JSON-RPC' && format.version !== '1.0';
  return hasKind ? { kind: 'text', text: SECRET, metadata } : { text: SECRET, metadata };
}

describe.each(WIRE_FORMATS)('$name', (format) => {
  test(
    verifies('I-01', 'a task that requests a credential is auth-required, with the reason as its status text'),
    async () => {
      const mail = await open();
      const asked = await mail.send(format, { text: 'any news?' });
      const state = format === RPC_01 ? 'input-required' : 'auth-required';
      expect([asked.state, asked.statusText]).toEqual([state, 'I need to read your mail\nhttps://mail.example/login']);
    },
  );

  test(
    verifies('I-07', 'a sensitive part reaches the handler, and is in no response, log line or stored record'),
    async () => {
      const mail = await open();
      const { id: taskId, contextId } = await mail.send(format, { text: 'any news?' });
      const answer = await mail.server.ask(as('ann', format.send({ taskId, contextId, parts: [secretPart(format)] })));
      const got = await mail.get(format, taskId);
      expect(got).toMatchObject({ state: 'completed', artifacts: { mail: '7 letters; messages: ' } });
      expect(answer.text).not.toContain(SECRET);
      expect(await mail.traces()).not.toContain(SECRET);
    },
  );
});

describe.each(FORMATS_1)('$name', (format) => {
  test(
    verifies(
      ['I-02', 'I-03'],
      'a credential from handler.authorize() resumes the task, and is in no response, log line or stored record',
    ),
    async () => {
      const mail = await open();
      const stream = await mail.server.open(as('ann', format.stream({ text: 'any news?' })));
      const first = await nextOf(stream, format);
      const taskId = first.kind === 'task' ? first.task.id : expect.fail('Expected a task');
      await nextOf(stream, format);

      await mail.server.server.handler.authorize({ taskId, callerId: 'ann' }, SECRET);

      await restOf(stream, format);
      expect(await mail.get(format, taskId)).toMatchObject({
        state: 'completed',
        artifacts: { mail: '7 letters; messages: ' },
      });
      expect(stream.raw()).not.toContain(SECRET);
      expect(await mail.traces()).not.toContain(SECRET);
    },
  );
});

describe.each(FORMATS_SINCE_02)('$name', (format) => {
  test(verifies(['I-04', 'I-08'], 'a message to an auth-required task is stored, but does not resume it'), async () => {
    const mail = await open();
    const { id: taskId } = await mail.send(format, { text: 'any news?' });

    const after = await mail.send(format, { text: 'I have signed in', taskId });

    expect(after.state).toBe('auth-required');
    expect(after.history?.at(-1)).toBe('user: I have signed in');
    await mail.server.server.handler.authorize({ taskId, callerId: 'ann' }, SECRET);
    await expect
      .poll(async () => (await mail.get(format, taskId)).artifacts)
      .toEqual({
        mail: '7 letters; messages: I have signed in',
      });
  });
});

test('handler.authorize() for another caller, tenant or task gets TASK_NOT_FOUND, and a second one is rejected', async () => {
  const mail = await open();
  const { id: taskId } = await mail.send(RPC_1, { text: 'any news?' });
  const { handler } = mail.server.server;
  for (const task of [
    { taskId, callerId: 'bob' },
    { taskId, callerId: 'ann', tenant: 'acme' },
    { taskId: 'unknown', callerId: 'ann' },
  ]) {
    await expect(handler.authorize(task, SECRET)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  }
  expect((await mail.get(RPC_1, taskId)).state).toBe('auth-required');
  await handler.authorize({ taskId, callerId: 'ann' }, SECRET);
  await expect.poll(async () => (await mail.get(RPC_1, taskId)).state).toBe('completed');
  await expect(handler.authorize({ taskId, callerId: 'ann' }, SECRET)).rejects.toMatchObject({
    code: 'UNSUPPORTED_OPERATION',
  });
});
