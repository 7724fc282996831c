import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type AgentClient,
  type AgentEvent,
  connect,
  type ConnectOptions,
  type ErrorCode,
  type Task,
} from '../../src/index.ts';
import type { PeerServer } from '../fixtures/peers/peer-server.ts';
import type { ScriptedAgent } from '../fixtures/peers/scripted-agent.ts';
import { eventually } from '../streams/eventually.ts';
import { all } from './peer.ts';

/** A server with the scripted agent, and the expected results of our client. */
export interface ServerSubject {
  readonly name: string;
  serve(): Promise<PeerServer & Pick<ScriptedAgent, 'gate' | 'turns'>>;
  readonly options?: ConnectOptions;
  /** The binding and version that our client chooses. */
  readonly chosen: string;
  /** The errors for a message to a task that has ended, and to an unknown task. */
  readonly whenEnded: ErrorCode;
  readonly whenUnknown: ErrorCode;
  /** Whether a stream whose agent throws at once has only the final status and no task. */
  readonly throwsWithoutTask: boolean;
  /** The supported operations on push configurations. */
  readonly push: 'all' | 'set and get' | 'none';
  /** The name in the extended card, or the code of the error. */
  readonly extendedCard: string;
  readonly hasList: boolean;
}

const REPORT = { 'report.txt': 'One, two, three.', 'summary.txt': 'Three numbers.' };

/** The behaviour of our client with every official server, over a real socket. */
export function ourClientBehaviours({ name, serve, options = {}, ...subject }: ServerSubject): void {
  const open = async () => {
    const peer = await serve();
    return { ...peer, agent: await connected(peer.url, options) };
  };

  describe(`our client and ${name}`, () => {
    test('it discovers the agent by its card', async () => {
      const { agent } = await open();
      expect(agent.card.name).toMatch(/^Scripted/);
      expect(`${agent.chosen.binding} ${agent.chosen.version}`).toBe(subject.chosen);
      expect(agent.warnings).toEqual([]);
    });

    test('ask() resolves to the text of a task or a message', async () => {
      const { agent } = await open();
      expect(await agent.ask('hi')).toBe('hi');
      expect(await agent.ask('greet Ann')).toBe('Hello, Ann!');
    });

    test.each(['stream', 'poll', 'block'] as const)('it sends a message and waits for the task by %s', async (wait) => {
      const { agent, turns } = await open();
      const reply = await agent.send('report', { wait });
      expect(reply).toMatchObject({ kind: 'task', state: 'completed', text: 'One, two, three.\nThree numbers.' });
      expect(textsOf(taskIn(reply))).toEqual(REPORT);
      expect(textsOf(await agent.get(taskIn(reply).id))).toEqual(REPORT);
      expect(turns).toEqual(['report']);
    });

    test('it sends a message and gets a message without a task', async () => {
      const { agent } = await open();
      expect(await agent.send('greet Ann')).toMatchObject({ kind: 'message', text: 'Hello, Ann!' });
    });

    test('it streams the events of a task, and a message without a task', async () => {
      const { agent } = await open();
      expect((await all(agent.stream('report'))).map(line)).toEqual([
        'task submitted',
        'status working: Writing…',
        'artifact: One, ',
        'artifact +: two, ',
        'artifact +: three.',
        'artifact: Three numbers.',
        'status completed',
      ]);
      expect((await all(agent.stream('greet Ann'))).map(line)).toEqual(['message: Hello, Ann!']);
    });

    test('send() resolves to a failed task, and ask() rejects with TASK_FAILED', async () => {
      const { agent } = await open();
      expect(await agent.send('fail')).toMatchObject({ state: 'failed', text: 'Out of paper.' });
      await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'TASK_FAILED', message: 'Out of paper.' });
    });

    test('send() and stream() report an exception of the agent as a failed task', async () => {
      const { agent } = await open();
      const text = 'Agent execution error: The pen broke';
      for (const wait of ['stream', 'block'] as const) {
        expect(await agent.send('throw', { wait })).toMatchObject({ state: 'failed', text });
      }
      const events = (await all(agent.stream('throw'))).map(line);
      expect(events).toEqual([subject.throwsWithoutTask ? `status failed: ${text}` : `task failed: ${text}`]);
    });

    test('it cancels a task, and the stream of the task ends', async () => {
      const { agent } = await open();
      const events: string[] = [];
      let id = '';
      for await (const event of agent.stream('wait')) {
        events.push(line(event));
        if (event.type === 'task') id = event.taskId;
        if (isWaiting(event)) await agent.cancel(id);
      }
      expect(events.at(-1)).toBe('status canceled');
      expect(await agent.get(id)).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    });

    test('it disconnects from a stream and subscribes to the task again', async () => {
      const { agent, gate } = await open();
      const task = agent.task(await startWaitingTask(agent));
      const events: string[] = [];
      for await (const event of task.subscribe()) {
        events.push(line(event));
        if (events.length === 1) gate.resolve();
      }
      expect(events).toEqual(['task working: Waited. ', 'artifact +: Went on.', 'status completed']);
      expect(textsOf(await task.get())).toEqual({ 'diary.txt': 'Waited. Went on.' });
    });

    test.each(['stream', 'poll'] as const)(
      'it disconnects from a stream and waits for the task by %s',
      async (wait) => {
        const { agent, gate, seen, turns } = await open();
        const task = agent.task(await startWaitingTask(agent));
        const before = seen.length;
        const reply = task.wait({ wait });
        await eventually(() => seen.length > before + 1);
        gate.resolve();
        expect(await reply).toMatchObject({ state: 'completed', text: 'Waited. Went on.' });
        expect(turns).toEqual(['wait']);
      },
    );

    test('it resumes a task from a handle without fetching the card', async () => {
      const { agent, gate, seen } = await open();
      const { handle } = agent.task(await startWaitingTask(agent));
      const discoveries = seen.filter((one) => one.includes('well-known')).length;
      const again = await connected(handle, options);
      gate.resolve();
      expect(await again.task(handle).wait()).toMatchObject({ state: 'completed', text: 'Waited. Went on.' });
      expect(seen.filter((one) => one.includes('well-known'))).toHaveLength(discoveries);
    });

    test.each(['before', 'after'] as const)(
      'it resumes a stream that broke %s the end of the task, and yields each chunk once',
      async (when) => {
        const { agent, gate, seen, turns, cut } = await open();
        const events: string[] = [];
        for await (const event of agent.stream('wait')) {
          events.push(line(event));
          if (!isWaiting(event)) continue;
          const before = seen.length;
          cut();
          if (when === 'after') gate.resolve();
          else void eventually(() => seen.length > before).then(() => gate.resolve());
        }
        expect(events).toEqual([
          'task submitted',
          'status working: Writing…',
          'artifact: Waited. ',
          'status working: Waiting…',
          'artifact +: Went on.',
          'status completed',
        ]);
        expect(turns).toEqual(['wait']);
      },
    );

    test.each(['stream', 'poll', 'block'] as const)('it answers a question and waits by %s', async (wait) => {
      const { agent } = await open();
      const asked = await agent.send('book', { wait });
      expect(asked).toMatchObject({ state: 'input-required', text: 'Which city?' });
      const reply = await agent.task(taskIn(asked).id).answer('Rome', { wait });
      expect(reply).toMatchObject({ state: 'completed', text: 'Booked a train to Rome.', contextId: asked.contextId });
      expect(taskIn(reply).id).toBe(taskIn(asked).id);
    });

    test('it answers a question that a stream ended with', async () => {
      const { agent } = await open();
      const stream = agent.stream('book');
      expect((await all(stream)).map(line).at(-1)).toBe('status input-required: Which city?');
      const taskId = stream.task?.id ?? '';
      const events = (await all(agent.stream('Oslo', { taskId }))).map(line);
      expect(events.slice(-2)).toEqual(['artifact: Booked a train to Oslo.', 'status completed']);
    });

    test('it sets, gets, lists and deletes push configurations where the server supports it', async () => {
      const { agent } = await open();
      const { id } = taskIn(await agent.send('hi'));
      const config = { id: 'mine', url: 'https://example.com/hook', token: 'secret' };
      const rejection = { code: 'INVALID_PARAMS' };
      if (subject.push === 'none') return expect(agent.pushConfigs.set(id, config)).rejects.toMatchObject(rejection);
      expect(await agent.pushConfigs.set(id, config)).toMatchObject({ taskId: id, url: config.url });
      expect(await agent.pushConfigs.get(id, 'mine')).toMatchObject({ taskId: id, url: config.url, token: 'secret' });
      const list = async () => (await agent.pushConfigs.list(id)).configs.map(({ url }) => url);
      if (subject.push !== 'all') return expect(list()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
      expect(await list()).toEqual([config.url]);
      await agent.pushConfigs.delete(id, 'mine');
      expect(await list()).toEqual([]);
    });

    test('it gets the extended card, or the error of a server without one', async () => {
      const { agent } = await open();
      const result = agent.extendedCard();
      if (subject.extendedCard.includes(' ')) expect(await result).toMatchObject({ name: subject.extendedCard });
      else await expect(result).rejects.toMatchObject({ code: subject.extendedCard });
    });

    test('it lists tasks, or rejects with METHOD_NOT_FOUND before 1.0', async () => {
      const { agent } = await open();
      await agent.send('hi');
      if (subject.hasList) expect((await agent.list()).tasks).toHaveLength(1);
      else await expect(agent.list()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    });

    test.each<[string, ErrorCode, (agent: AgentClient, ended: string) => Promise<unknown>]>([
      ['get an unknown task', 'TASK_NOT_FOUND', (agent) => agent.get('unknown')],
      ['cancel an unknown task', 'TASK_NOT_FOUND', (agent) => agent.cancel('unknown')],
      ['continue an unknown task', subject.whenUnknown, (agent) => agent.send('hi', { taskId: 'unknown' })],
      ['cancel a task that has ended', 'TASK_NOT_CANCELABLE', (agent, ended) => agent.cancel(ended)],
      ['continue a task that has ended', subject.whenEnded, (agent, taskId) => agent.send('hi', { taskId })],
    ])('it rejects with the error code of the server when it tries to %s', async (_, code, call) => {
      const { agent } = await open();
      const { id } = taskIn(await agent.send('hi'));
      await expect(call(agent, id)).rejects.toMatchObject({ code });
    });
  });
}

/** Connects a client, and closes it after the test. */
export async function connected(target: string, options: ConnectOptions = {}): Promise<AgentClient> {
  // Not cached, because ports are reused and would get cards of other peers.
  const agent = await connect(target, { cache: false, timeoutMs: 4000, ...options });
  onTestFinished(() => agent.close());
  return agent;
}

/** An event in one line: type, state and text. */
export function line(event: AgentEvent): string {
  const state = 'state' in event ? ` ${event.state}` : '';
  const append = event.type === 'artifact' && event.append ? ' +' : '';
  return `${event.type}${state}${append}${event.text === '' ? '' : `: ${event.text}`}`;
}

/** Starts a task that waits at the gate, and disconnects from its stream. Resolves to the id of the task. */
async function startWaitingTask(agent: AgentClient): Promise<string> {
  const stream = agent.stream('wait');
  for await (const event of stream) if (isWaiting(event)) break;
  return stream.task?.id ?? '';
}

function isWaiting(event: AgentEvent): boolean {
  return event.type === 'status' && event.text === 'Waiting…';
}

function taskIn({ task }: Awaited<ReturnType<AgentClient['send']>>) {
  if (task === undefined) throw new Error('Expected a task, got a message');
  return task;
}

/** The texts of a task's artifacts, by name. */
function textsOf({ artifacts = [] }: Task): Readonly<Record<string, string>> {
  return Object.fromEntries(
    artifacts.map(({ name = '', parts }) => [name, parts.map((part) => ('text' in part ? part.text : '')).join('')]),
  );
}
