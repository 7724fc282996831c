import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import type { ConnectOptions, Part } from '../../../src/index.ts';
import { connected, line } from '../our-client-behaviours.ts';
import { all } from '../peer.ts';
import { type Binding, IMAGE } from './foreign-client.ts';
import type { Program } from './program.ts';

export interface ServerSubject {
  readonly name: string;
  readonly program: Program;
  readonly binding: Binding;
  readonly version: '1.0' | '0.3';
  /** Whether the server can delete a push configuration. */
  readonly deletesPushConfigs?: boolean;
}

/**
 * The behaviour of our client with the server of an SDK in another language. Its agent replies to `greet` with a message,
 * streams `report` in three chunks, returns a `file`, works on `wait` until it is canceled, asks for a city on `book`, and echoes
 * everything else.
 */
export function foreignServerBehaviours(subject: ServerSubject): void {
  const { name, program, binding, version, deletesPushConfigs = true } = subject;
  const open = async (options: ConnectOptions = {}) =>
    connected((await program.call('serve', { binding, version })) as string, options);

  describe(`our client and ${name}`, () => {
    test('it connects by the binding and version of the card', async () => {
      const agent = await open();
      expect(agent.chosen).toMatchObject({ binding, version });
    });

    test.each(['stream', 'poll', 'block'] as const)('it sends a message and waits for the task by %s', async (wait) => {
      const agent = await open();
      expect(await agent.send('report', { wait })).toMatchObject({ state: 'completed', text: 'One, two, three.' });
    });

    test('it gets a message', async () => {
      const agent = await open();
      expect(await agent.ask('greet')).toBe('Good morning.');
    });

    test('it streams chunks', async () => {
      const agent = await open();
      const events = (await all(agent.stream('report'))).map(line);
      expect(events.filter((event) => event.startsWith('artifact'))).toEqual([
        'artifact: One, ',
        'artifact +: two, ',
        'artifact +: three.',
      ]);
      expect(events.at(-1)).toBe('status completed');
    });

    test('it gets the bytes of a file', async () => {
      const agent = await open();
      const { task } = await agent.send('file');
      expect(task?.artifacts?.flatMap(({ parts }) => parts.map(bytesOf))).toEqual([IMAGE]);
    });

    test('it answers a question', async () => {
      const agent = await open();
      const asked = await agent.send('book');
      expect(asked).toMatchObject({ state: 'input-required', text: 'Which city?' });
      const reply = await agent.task(asked.task?.id ?? '').answer('Rome');
      expect(reply).toMatchObject({ state: 'completed', text: 'Booked a train to Rome.' });
    });

    test('it cancels a task, and the stream of the task ends', async () => {
      const agent = await open();
      const stream = agent.stream('wait');
      let last = '';
      for await (const event of stream) {
        last = line(event);
        if (event.text !== 'Waiting…') continue;
        await agent.cancel(stream.task?.id ?? '');
      }
      expect(last).toBe('status canceled');
      expect(await agent.get(stream.task?.id ?? '')).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    });

    test('wait() and subscribe() return a task that has ended', async () => {
      const agent = await open();
      const { task } = await agent.send('hi');
      expect(await agent.task(task?.id ?? '').wait()).toMatchObject({ state: 'completed', text: 'hi' });
      expect((await all(agent.task(task?.id ?? '').subscribe())).at(-1)).toMatchObject({ state: 'completed' });
    });

    test(`it creates ${deletesPushConfigs ? 'and deletes ' : ''}a push configuration`, async () => {
      const agent = await open();
      const { task } = await agent.send('hi');
      const id = task?.id ?? '';
      const url = 'https://example.com/hook';
      expect(await agent.pushConfigs.set(id, { id: 'mine', url })).toMatchObject({ url });
      if (deletesPushConfigs) await expect(agent.pushConfigs.delete(id, 'mine')).resolves.toBeUndefined();
    });

    test('it rejects with TASK_NOT_FOUND when a task does not exist', async () => {
      const agent = await open();
      await expect(agent.get('unknown')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    });
  });
}

/** For servers whose subscriptions begin with the task, as 1.0 requires. */
export function foreignSubscriptionBehaviours({ name, program, binding, version }: ServerSubject): void {
  test(`our client disconnects from a stream of ${name} and subscribes to the task`, async () => {
    const agent = await connected((await program.call('serve', { binding, version })) as string);
    const stream = agent.stream('wait');
    for await (const event of stream) if (event.text === 'Waiting…') break;
    const task = agent.task(stream.task?.id ?? '');
    const seen: string[] = [];
    for await (const event of task.subscribe()) {
      seen.push(line(event));
      if (seen.length === 1) await task.cancel();
    }
    expect(seen).toEqual(['task working: Waiting…', 'status canceled']);
  });
}

function bytesOf(part: Part): readonly number[] | undefined {
  return 'raw' in part ? [...Buffer.from(part.raw, 'base64')] : undefined;
}
