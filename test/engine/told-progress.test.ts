/** Hints that say what has happened: what a reader need not ask for, and what he must. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store, TaskProgress, TaskWrite, WatchListener } from '../../src/store/store.ts';
import { event, newTask, status } from '../../src/testing/store-contract/samples.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { turns } from './faults.ts';
import { ANN, collect, type Harness, runnable, startHarness, withMethods } from './harness.ts';

const OTHER = 'another node';
const GUARD = { lease: { node: OTHER, fence: 1 } };

interface Elsewhere {
  readonly harness: Harness;
  /** Stores something as the other node does, and gives what that node could say of it. */
  write(write: Partial<TaskWrite>): Promise<TaskProgress>;
  tell(progress: TaskProgress | undefined): void;
  /** How often the store was asked for the task or its events. */
  readonly asked: { times: number };
}

/** A node that looks on while another one runs a task, and hears of it what the test says. */
async function elsewhere(): Promise<Elsewhere> {
  const clock = fakeClock();
  const memory = memoryStore({ clock });
  let listener: WatchListener = () => {};
  const asked = { times: 0 };
  const counted = <T extends 'read' | 'events'>(name: T): Store[T] =>
    ((...given: never[]) => {
      asked.times += 1;
      return (memory[name] as (...all: never[]) => unknown)(...given);
    }) as Store[T];
  const store = withMethods(memory, {
    read: counted('read'),
    events: counted('events'),
    watch: (given) => {
      listener = given;
      return () => {};
    },
  });
  const harness = await startHarness({ store, clock, agents: [runnable(async () => 'done')] }, clock);
  await memory.heartbeat(OTHER, 3_600_000);
  await memory.create(newTask('a', { ...ANN, agent: 'agent', node: OTHER, status: status('TASK_STATE_WORKING') }));
  return {
    harness,
    async write(write) {
      const written = await memory.append({ taskId: 'a', by: OTHER, guard: GUARD, ...write });
      if (written.kind !== 'appended') throw new Error(`the write was ${written.kind}`);
      const { record, firstEvent } = written;
      const events = (write.events ?? []).map(({ kind, body }, i) => ({ number: firstEvent + i, kind, body }));
      return { lastEvent: record.lastEvent, endedAt: record.endedAt, status: record.status, events };
    },
    tell: (progress) => listener('a', OTHER, false, () => progress),
    asked,
  };
}

const chunk = (name: string): Partial<TaskWrite> => ({ events: [event(name, 'artifact')] });
const END: Partial<TaskWrite> = { events: [event('end')], status: status('TASK_STATE_COMPLETED'), endedAt: 1 };

/** Reads from the first event on, until the task has ended: what each event says. */
function reading({ engine }: Harness): Promise<readonly string[]> {
  return collect(engine.subscribe(ANN, 'a', { after: 1 })).then((items) =>
    items.map((item) => ('body' in item ? (JSON.parse(item.body) as { name: string }).name : item.kind)),
  );
}

test('who is told what has happened asks the store for nothing', async () => {
  const { harness, write, tell, asked } = await elsewhere();
  const read = reading(harness);
  await turns();
  const before = asked.times;
  for (const name of ['1', '2', '3']) {
    tell(await write(chunk(name)));
    await turns();
  }
  tell(await write(END));

  expect(await read).toEqual(['1', '2', '3', 'end']);
  expect(asked.times).toBe(before);
});

test.for<[string, (said: readonly TaskProgress[]) => readonly (TaskProgress | undefined)[]]>([
  ['in order', (said) => said],
  ['backwards', (said) => said.toReversed()],
  ['twice', (said) => [...said, ...said]],
  ['swapped in the middle', ([one, two, three, end]) => [one, three, two, end] as readonly TaskProgress[]],
  ['with the first doubled and the second unsaid', ([one, , three, end]) => [one, one, undefined, three, end]],
  ['without the second', ([one, , ...rest]) => [one, ...rest]],
  ['without the first', ([, ...rest]) => rest],
  ['the last one alone', (said) => said.slice(-1)],
  ['without their events', (said) => said.map((one) => ({ ...one, events: [] }))],
  ['one of them without a word', (said) => said.map((one, i) => (i === 1 ? undefined : one))],
])('all events come once and in order if hints come %s', async ([, mixed]) => {
  for (const atOnce of [true, false]) {
    const { harness, write, tell } = await elsewhere();
    const read = reading(harness);
    await turns();
    const said = [await write(chunk('1')), await write(chunk('2')), await write(chunk('3')), await write(END)];
    for (const one of mixed(said)) {
      tell(one);
      if (!atOnce) await turns();
    }

    expect(await read).toEqual(['1', '2', '3', 'end']);
  }
});

test('who waits for the end of a task does not look each time that it says something', async () => {
  const { harness, write, tell, asked } = await elsewhere();
  const { engine } = harness;
  const canceled = engine.cancel(ANN, 'a');
  await turns();
  const before = asked.times;
  for (const name of ['1', '2', '3']) tell(await write({ events: [event(name)] }));
  await turns();
  expect(asked.times).toBe(before);
  tell(await write({ ...END, status: status('TASK_STATE_CANCELED') }));

  expect(await canceled).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
});

test('what a hint says is not even read if nobody listens', async () => {
  const { write, tell } = await elsewhere();
  const said = await write(chunk('1'));
  let isRead = false;
  tell({
    ...said,
    get events() {
      isRead = true;
      return said.events;
    },
  });
  await turns();
  expect(isRead).toBe(false);
});
