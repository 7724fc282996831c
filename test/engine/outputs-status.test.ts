import { describe, expect, test } from 'vitest';
import { applyEvent } from '../../src/model/fold.ts';
import { canTransition } from '../helpers/transitions.ts';
import type { Task } from '../../src/model/task.ts';
import type { Clock } from '../../src/support/time/clock.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { ANN, bodies, collect, harness, VARIANTS } from './harness.ts';

/** A clock that goes back a second each time it is read. */
function backwards(): Clock {
  const clock = fakeClock();
  let reads = 0;
  return { now: () => clock.now() - 1000 * ++reads, callAt: (time, run) => clock.callAt(time, run) };
}

describe.each(VARIANTS)('$name', (variant) => {
  test('the timestamps of statuses never decrease although the clock goes back', async () => {
    const { task, reply, engine } = await harness(
      async ({ ask, status, step }) => {
        await status('one');
        await step('s', () => 1);
        await status('two');
        return ask('Who?');
      },
      { variant, clock: backwards() },
    );
    const done = await reply(await task('go'), 'Ann');
    const events = bodies(await collect(engine.subscribe(ANN, done.id, { after: 0 })));
    const times = events.flatMap((event) => {
      if ('task' in event) return event.task.status.timestamp ?? '';
      return 'statusUpdate' in event ? (event.statusUpdate.status.timestamp ?? '') : [];
    });
    expect(times.length).toBeGreaterThan(5);
    expect(times).toEqual([...times].sort());
    expect(done.status.timestamp).toBe(times.at(-1));
  });

  test('the events of a task add up to the task that get returns, by legal state transitions', async () => {
    const { task, reply, engine } = await harness(
      async function* run({ ask, artifact, status }) {
        yield 'a';
        await status('one');
        await artifact('file').append('1');
        yield await ask('Who?');
        await artifact('file').replace('2', { description: 'new' });
        yield { artifact: 'file', data: { n: 3 }, append: true, lastChunk: true };
      },
      { variant },
    );
    const done = await reply(await task('go'), 'Ann');
    const [first, ...rest] = bodies(await collect(engine.subscribe(ANN, done.id, { after: 0 })));
    expect(first).toEqual({
      task: {
        id: done.id,
        contextId: done.contextId,
        status: { state: 'TASK_STATE_SUBMITTED', timestamp: expect.any(String) },
        history: [done.history?.[0]],
      },
    });
    let folded = (first as { readonly task: Task }).task;
    for (const event of rest) {
      const next = applyEvent(folded, event);
      expect(canTransition(folded.status.state, next.status.state)).toBe(true);
      folded = next;
    }
    expect(folded.status).toEqual(done.status);
    expect(folded.artifacts).toEqual(done.artifacts);
  });
});
