import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type AgentClient,
  type AgentEvent,
  connect,
  type ConnectOptions,
  type ErrorCode,
  type Task,
} from '../../src/index.ts';
import type { Listening } from '../fixtures/peers/listening.ts';
import type { ScriptedAgent } from '../fixtures/peers/scripted-agent.ts';
import { eventually } from '../streams/eventually.ts';
import { all } from './peer.ts';

/** A server with the scripted agent, and what our client finds there. */
export interface ServerSubject {
  readonly name: string;
  serve(): Promise<Listening & Pick<ScriptedAgent, 'gate' | 'turns'>>;
  readonly options?: ConnectOptions;
  /** Binding and version. */
  readonly chosen: string;
  /** What is said to one who goes on with a finished task, and with an unknown one. */
  readonly whenEnded: ErrorCode;
  readonly whenUnknown: ErrorCode;
  /** A stream whose agent threw at once knows nothing of a task but its end. */
  readonly throwsWithoutTask: boolean;
  /** Which operations on push configurations there are. */
  readonly push: 'all' | 'set and get' | 'none';
  /** The name in it, or the code of the error. */
  readonly extendedCard: string;
  readonly hasList: boolean;
}

const REPORT = { 'report.txt': 'One, two, three.', 'summary.txt': 'Three numbers.' };

/** What our client must be able to do with every official server, over a real socket. */
export function clientBehaviours({ name, serve, options = {}, ...subject }: ServerSubject): void {
  const open = async () => {
    const peer = await serve();
    return { ...peer, agent: await connected(peer.url, options) };
  };

  describe(`our client and ${name}`, () => {
    test('it finds the agent by its card', async () => {
      const { agent } = await open();
      expect(agent.card.name).toMatch(/^Scripted/);
      expect(`${agent.chosen.binding} ${agent.chosen.version}`).toBe(subject.chosen);
      expect(agent.warnings).toEqual([]);
    });

    test('it asks, and is answered by a task or a message', async () => {
      const { agent } = await open();
      expect(await agent.ask('hi')).toBe('hi');
      expect(await agent.ask('greet Ann')).toBe('Hello, Ann!');
    });

    test.each(['stream', 'poll', 'block'] as const)('it sends and waits by way of %s', async (wait) => {
      const { agent, turns } = await open();
      const reply = await agent.send('report', { wait });
      expect(reply).toMatchObject({ kind: 'task', state: 'completed', text: 'One, two, three.\nThree numbers.' });
      expect(textsOf(taskIn(reply))).toEqual(REPORT);
      expect(textsOf(await agent.get(taskIn(reply).id))).toEqual(REPORT);
      expect(turns).toEqual(['report']);
    });

    test('it sends and gets a message', async () => {
      const { agent } = await open();
      expect(await agent.send('greet Ann')).toMatchObject({ kind: 'message', text: 'Hello, Ann!' });
    });

    test('it streams', async () => {
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

    test('it learns that a task failed, as a value or as an error', async () => {
      const { agent } = await open();
      expect(await agent.send('fail')).toMatchObject({ state: 'failed', text: 'Out of paper.' });
      await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'TASK_FAILED', message: 'Out of paper.' });
    });

    test('it learns that the agent threw', async () => {
      const { agent } = await open();
      const text = 'Agent execution error: The pen broke';
      for (const wait of ['stream', 'block'] as const) {
        expect(await agent.send('throw', { wait })).toMatchObject({ state: 'failed', text });
      }
      const events = (await all(agent.stream('throw'))).map(line);
      expect(events).toEqual([subject.throwsWithoutTask ? `status failed: ${text}` : `task failed: ${text}`]);
    });

    test('it cancels a task, whose stream then ends', async () => {
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

    test('it leaves a stream, and finds the task again', async () => {
      const { agent, gate } = await open();
      const task = agent.task(await leftWaiting(agent));
      const events: string[] = [];
      for await (const event of task.subscribe()) {
        events.push(line(event));
        if (events.length === 1) gate.resolve();
      }
      expect(events).toEqual(['task working: Waited. ', 'artifact +: Went on.', 'status completed']);
      expect(textsOf(await task.get())).toEqual({ 'diary.txt': 'Waited. Went on.' });
    });

    test.each(['stream', 'poll'] as const)('it waits for a task that it left, by way of %s', async (wait) => {
      const { agent, gate, seen, turns } = await open();
      const task = agent.task(await leftWaiting(agent));
      const before = seen.length;
      const reply = task.wait({ wait });
      await eventually(() => seen.length > before + 1);
      gate.resolve();
      expect(await reply).toMatchObject({ state: 'completed', text: 'Waited. Went on.' });
      expect(turns).toEqual(['wait']);
    });

    test('it goes on by a handle, without a card', async () => {
      const { agent, gate, seen } = await open();
      const { handle } = agent.task(await leftWaiting(agent));
      const discoveries = seen.filter((one) => one.includes('well-known')).length;
      const again = await connected(handle, options);
      gate.resolve();
      expect(await again.task(handle).wait()).toMatchObject({ state: 'completed', text: 'Waited. Went on.' });
      expect(seen.filter((one) => one.includes('well-known'))).toHaveLength(discoveries);
    });

    test.each(['before', 'after'] as const)(
      'it takes up a broken stream %s the task has ended, and tells each piece once',
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

    test.each(['stream', 'poll', 'block'] as const)('it answers a question, by way of %s', async (wait) => {
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

    test('it keeps push configurations', async () => {
      const { agent } = await open();
      const { id } = taskIn(await agent.send('hi'));
      const config = { id: 'mine', url: 'https://example.com/hook', token: 'secret' };
      const isRefused = { code: 'INVALID_PARAMS' };
      if (subject.push === 'none') return expect(agent.pushConfigs.set(id, config)).rejects.toMatchObject(isRefused);
      expect(await agent.pushConfigs.set(id, config)).toMatchObject({ taskId: id, url: config.url });
      expect(await agent.pushConfigs.get(id, 'mine')).toMatchObject({ taskId: id, url: config.url, token: 'secret' });
      const list = async () => (await agent.pushConfigs.list(id)).configs.map(({ url }) => url);
      if (subject.push !== 'all') return expect(list()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
      expect(await list()).toEqual([config.url]);
      await agent.pushConfigs.delete(id, 'mine');
      expect(await list()).toEqual([]);
    });

    test('it gets the extended card', async () => {
      const { agent } = await open();
      const result = agent.extendedCard();
      if (subject.extendedCard.includes(' ')) expect(await result).toMatchObject({ name: subject.extendedCard });
      else await expect(result).rejects.toMatchObject({ code: subject.extendedCard });
    });

    test('it lists tasks where that exists', async () => {
      const { agent } = await open();
      await agent.send('hi');
      if (subject.hasList) expect((await agent.list()).tasks).toHaveLength(1);
      else await expect(agent.list()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    });

    test.each<[string, ErrorCode, (agent: AgentClient, ended: string) => Promise<unknown>]>([
      ['get what is not there', 'TASK_NOT_FOUND', (agent) => agent.get('unknown')],
      ['cancel what is not there', 'TASK_NOT_FOUND', (agent) => agent.cancel('unknown')],
      ['go on with what is not there', subject.whenUnknown, (agent) => agent.send('hi', { taskId: 'unknown' })],
      ['cancel what has ended', 'TASK_NOT_CANCELABLE', (agent, ended) => agent.cancel(ended)],
      ['go on with what has ended', subject.whenEnded, (agent, taskId) => agent.send('hi', { taskId })],
    ])('it cannot %s', async (_, code, call) => {
      const { agent } = await open();
      const { id } = taskIn(await agent.send('hi'));
      await expect(call(agent, id)).rejects.toMatchObject({ code });
    });
  });
}

/** A client that is closed when the test is over. */
export async function connected(target: string, options: ConnectOptions = {}): Promise<AgentClient> {
  // Ports come back, and cards of other peers must not come with them.
  const agent = await connect(target, { cache: false, timeoutMs: 4000, ...options });
  onTestFinished(() => agent.close());
  return agent;
}

/** An event in one line: what it is, its state, what it says. */
export function line(event: AgentEvent): string {
  const state = 'state' in event ? ` ${event.state}` : '';
  const append = event.type === 'artifact' && event.append ? ' +' : '';
  return `${event.type}${state}${append}${event.text === '' ? '' : `: ${event.text}`}`;
}

/** The id of a task that waits at the gate, and whose stream was left. */
async function leftWaiting(agent: AgentClient): Promise<string> {
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
