/** Client and server in every version and binding, with one list of behaviours per operation. */
import { describe, expect, test } from 'vitest';

import type { AgentClient } from '../../../src/client/client.ts';
import type { BindingName } from '../../../src/client/options.ts';
import type { OperationName } from '../../../src/model/operation.ts';
import { clientDialect } from '../../../src/wire/select.ts';
import type { ProtocolVersion } from '../../../src/wire/version.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { connected } from './kit.ts';

const PROTOCOLS: readonly (readonly [ProtocolVersion, BindingName])[] = [
  ['1.0', 'JSONRPC'],
  ['1.0', 'HTTP+JSON'],
  ['0.3', 'JSONRPC'],
  ['0.3', 'HTTP+JSON'],
  ['0.2', 'JSONRPC'],
  ['0.1', 'JSONRPC'],
];

const CONFIG = { url: 'https://example.com/hook', id: 'hook', token: 'secret' };

/** The behaviour of each operation in every version that has it. */
const OPERATIONS: Readonly<Record<OperationName, (agent: AgentClient, server: TestServer) => Promise<void>>> = {
  async SendMessage(agent) {
    expect(await agent.send('hello', { wait: 'block' })).toMatchObject({
      kind: 'task',
      state: 'completed',
      text: 'hello',
    });
    expect((await agent.send('reply Hi', { wait: 'block' })).text).toBe('Hi');
  },
  async SendStreamingMessage(agent) {
    const texts: string[] = [];
    const stream = agent.stream('story');
    for await (const event of stream) if (event.type === 'artifact') texts.push(event.text);
    expect(texts).toEqual(['Roses ', 'Mind the thorns', 'are red']);
    expect(stream.task?.status.state).toBe('TASK_STATE_COMPLETED');
  },
  async GetTask(agent) {
    const { task } = await agent.send('hello');
    expect(await agent.get(task?.id ?? '')).toMatchObject({ id: task?.id, status: { state: 'TASK_STATE_COMPLETED' } });
    await expect(agent.get('unknown')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  },
  async ListTasks(agent) {
    const { task } = await agent.send('hello');
    await agent.send('hello again');
    const page = await agent.list({ pageSize: 1, includeArtifacts: true });
    expect(page).toMatchObject({
      totalSize: 2,
      pageSize: 1,
      tasks: [{ artifacts: [{ parts: [{ text: 'hello again' }] }] }],
    });
    const next = await agent.list({ pageSize: 1, pageToken: page.nextPageToken });
    expect(next.tasks.map(({ id }) => id)).toEqual([task?.id]);
  },
  async CancelTask(agent) {
    const { task, handle } = await agent.send('hold', { wait: 'none' });
    expect(await agent.cancel(task?.id ?? '')).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    expect(await agent.task(handle ?? '').wait()).toMatchObject({ state: 'canceled' });
    await agent
      .send('hello')
      .then(({ task: over }) =>
        expect(agent.cancel(over?.id ?? '')).rejects.toMatchObject({ code: 'TASK_NOT_CANCELABLE' }),
      );
  },
  async SubscribeToTask(agent, server) {
    const { task } = await agent.send('hold the line', { wait: 'none' });
    const seen: string[] = [];
    for await (const event of agent.task(task?.id ?? '').subscribe()) {
      if (seen.length === 0) server.release();
      seen.push(event.type);
    }
    expect(seen.at(-1)).toBe('status');
    expect(seen).toContain('artifact');
  },
  async CreateTaskPushNotificationConfig(agent) {
    const { task } = await agent.send('hello');
    expect(await agent.pushConfigs.set(task?.id ?? '', CONFIG)).toMatchObject({ url: CONFIG.url, taskId: task?.id });
  },
  async GetTaskPushNotificationConfig(agent) {
    const { task } = await agent.send('hello');
    const { id } = await agent.pushConfigs.set(task?.id ?? '', CONFIG);
    expect(await agent.pushConfigs.get(task?.id ?? '', id)).toMatchObject({ url: CONFIG.url });
  },
  async ListTaskPushNotificationConfigs(agent) {
    const { task } = await agent.send('hello');
    await agent.pushConfigs.set(task?.id ?? '', CONFIG);
    expect((await agent.pushConfigs.list(task?.id ?? '')).configs).toMatchObject([{ url: CONFIG.url }]);
  },
  async DeleteTaskPushNotificationConfig(agent) {
    const { task } = await agent.send('hello');
    const { id } = await agent.pushConfigs.set(task?.id ?? '', CONFIG);
    await agent.pushConfigs.delete(task?.id ?? '', id ?? '');
    expect((await agent.pushConfigs.list(task?.id ?? '')).configs).toEqual([]);
  },
  async GetExtendedAgentCard(agent) {
    await expect(agent.extendedCard()).rejects.toMatchObject({
      code: expect.stringMatching(/UNSUPPORTED_OPERATION|NOT_CONFIGURED/),
    });
  },
};

describe.each(PROTOCOLS)('A2A %s over %s', (version, binding) => {
  test.each(Object.entries(OPERATIONS))(
    '%s succeeds if this version has it, and fails as unsupported otherwise',
    async (operation, behaves) => {
      const server = await startServer({ pushNotifications: true });
      const agent = await connected(server.url, { version, binding });
      expect(agent.chosen).toMatchObject({ version, binding });
      const isSupported = clientDialect(binding, version)?.operations[operation as OperationName] !== undefined;
      // Versions without this operation have a path for the extended card.
      if (isSupported || operation === 'GetExtendedAgentCard') {
        await behaves(agent, server);
      } else {
        await expect(behaves(agent, server)).rejects.toMatchObject({
          code: expect.stringMatching(/METHOD_NOT_FOUND|UNSUPPORTED/),
        });
      }
    },
  );

  test('a question is answered by another client with the handle of its task', async () => {
    const { url } = await startServer();
    const agent = await connected(url, { version, binding });
    const question = await agent.send('ask');
    expect(question).toMatchObject({ state: 'input-required', text: 'Which city?' });
    const later = await connected(question.handle ?? '');
    expect(later.chosen).toMatchObject({ version, binding });
    expect((await later.task(question.handle ?? '').answer('Rome')).text).toBe('Off to Rome');
  });

  test('send with wait: poll returns the completed task', async () => {
    const server = await startServer();
    const agent = await connected(server.url, { version, binding });
    const reply = await agent.send('hold on', { wait: 'poll', onProgress: () => server.release() });
    expect(reply).toMatchObject({ state: 'completed', text: 'on' });
  });
});
