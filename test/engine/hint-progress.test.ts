/** Hints that carry progress: a subscriber reads from the store only events that no hint has brought. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store, TaskProgress, TaskWrite, WatchListener } from '../../src/store/store.ts';
import { event, newTask, status } from '../../src/testing/store-contract/samples.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { turns } from './cluster.ts';
import { ANN, collect, type Harness, runnable, startHarness, withMethods } from './harness.ts';

const OTHER = 'another node';
const GUARD = { lease: { node: OTHER, fence: 1 } };

interface Elsewhere {
  readonly harness: Harness;
  /** Stores something as the other node does, and returns the progress for its hint. */
  write(write: Partial<TaskWrite>): Promise<TaskProgress>;
  hint(progress: TaskProgress | undefined): void;
  /** How often the task or its events were read from the store. */
  readonly reads: { count: number };
}

/** A node that follows a task of another node, by the hints that the test sends. */
async function elsewhere(): Promise<Elsewhere> {
  const clock = fakeClock();
  const memory = memoryStore({ clock });
  let listener: WatchListener = () => {};
  const reads = { count: 0 };
  const counted = <T extends 'read' | 'events'>(name: T): Store[T] =>
    ((...given: never[]) => {
      reads.count += 1;
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
    hint: (progress) => listener('a', OTHER, false, () => progress),
    reads,
  };
}

const chunk = (name: string): Partial<TaskWrite> => ({ events: [event(name, 'artifact')] });
const END: Partial<TaskWrite> = { events: [event('end')], status: status('TASK_STATE_COMPLETED'), endedAt: 1 };

/** Reads all events until the task has ended: the name in each of them. */
function reading({ engine }: Harness): Promise<readonly string[]> {
  return collect(engine.subscribe(ANN, 'a', { after: 1 })).then((items) =>
    items.map((item) => ('body' in item ? (JSON.parse(item.body) as { name: string }).name : item.kind)),
  );
}

test('a subscriber reads nothing from the store when hints carry all events', async () => {
  const { harness, write, hint, reads } = await elsewhere();
  const read = reading(harness);
  await turns();
  const before = reads.count;
  for (const name of ['1', '2', '3']) {
    hint(await write(chunk(name)));
    await turns();
  }
  hint(await write(END));

  expect(await read).toEqual(['1', '2', '3', 'end']);
  expect(reads.count).toBe(before);
});

test.for<[string, (hints: readonly TaskProgress[]) => readonly (TaskProgress | undefined)[]]>([
  ['in order', (hints) => hints],
  ['in reverse order', (hints) => hints.toReversed()],
  ['twice', (hints) => [...hints, ...hints]],
  ['swapped in the middle', ([one, two, three, end]) => [one, three, two, end] as readonly TaskProgress[]],
  [
    'with the first doubled and the second without progress',
    ([one, , three, end]) => [one, one, undefined, three, end],
  ],
  ['without the second', ([one, , ...rest]) => [one, ...rest]],
  ['without the first', ([, ...rest]) => rest],
  ['with only the last of them', (hints) => hints.slice(-1)],
  ['without their events', (hints) => hints.map((one) => ({ ...one, events: [] }))],
  ['with one of them without progress', (hints) => hints.map((one, i) => (i === 1 ? undefined : one))],
])('a subscriber gets all events once and in order when hints arrive %s', async ([, mixed]) => {
  for (const atOnce of [true, false]) {
    const { harness, write, hint } = await elsewhere();
    const read = reading(harness);
    await turns();
    const hints = [await write(chunk('1')), await write(chunk('2')), await write(chunk('3')), await write(END)];
    for (const one of mixed(hints)) {
      hint(one);
      if (!atOnce) await turns();
    }

    expect(await read).toEqual(['1', '2', '3', 'end']);
  }
});

test('a cancel that waits for the end of a task does not read the task at each event', async () => {
  const { harness, write, hint, reads } = await elsewhere();
  const { engine } = harness;
  const canceled = engine.cancel(ANN, 'a');
  await turns();
  const before = reads.count;
  for (const name of ['1', '2', '3']) hint(await write({ events: [event(name)] }));
  await turns();
  expect(reads.count).toBe(before);
  hint(await write({ ...END, status: status('TASK_STATE_CANCELED') }));

  expect(await canceled).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
});

test('the events of a hint are not decoded without a subscriber', async () => {
  const { write, hint } = await elsewhere();
  const progress = await write(chunk('1'));
  let isRead = false;
  hint({
    ...progress,
    get events() {
      isRead = true;
      return progress.events;
    },
  });
  await turns();
  expect(isRead).toBe(false);
});
