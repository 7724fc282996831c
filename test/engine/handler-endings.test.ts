import { describe, expect, test } from 'vitest';
import type { Handler, TaskContext } from '../../src/engine/handler.ts';
import { turns } from './cluster.ts';
import { ANN, artifactText, collect, harness, statusText, until, VARIANTS } from './harness.ts';

/** A handler written without types. */
function untyped(run: (ctx: TaskContext) => unknown): Handler {
  return run as Handler;
}

describe.each(VARIANTS)('$name', (variant) => {
  test('a handler that does nothing completes its task', async () => {
    const { task } = await harness(async () => {}, { variant });
    const done = await task('go');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts).toBeUndefined();
  });

  test('a generator without a yield completes its task', async () => {
    const { task } = await harness(async function* run() {}, { variant });
    expect((await task('go')).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('a handler need not be async', async () => {
    const { task } = await harness(() => 'at once', { variant });
    expect(artifactText(await task('go'))).toBe('at once');
  });

  test('a handler that throws before it returns a promise fails its task', async () => {
    const { task } = await harness(
      () => {
        throw new Error('no');
      },
      { variant },
    );
    expect((await task('go')).status.state).toBe('TASK_STATE_FAILED');
  });

  test('outputs that are yielded after the end are dropped', async () => {
    const { task, engine } = await harness(
      async function* run() {
        yield 'all';
        yield { status: 'completed', text: 'Done' };
        yield ' and more';
        yield { status: 'failed', text: 'Not done' };
      },
      { variant },
    );
    const done = await task('go');
    await turns(10);
    expect(await engine.get(ANN, done.id)).toEqual(done);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifactText(done)).toBe('all');
  });

  test('an output that is appended after the return is dropped and logged', async () => {
    let late: (() => Promise<void>) | undefined;
    const { task, engine, log } = await harness(
      async ({ artifact }) => {
        late = () => artifact('response').append(' late');
        return 'in time';
      },
      { variant },
    );
    const done = await task('go');
    let hasSettled = false;
    void late?.().finally(() => (hasSettled = true));
    await turns(10);
    expect(hasSettled).toBe(false);
    expect(artifactText(await engine.get(ANN, done.id))).toBe('in time');
    expect(log.map(({ message }) => message)).toContain('Ignored a call of a handler whose run is over');
  });

  test.each<[string, (ctx: TaskContext) => unknown, string]>([
    ['completed, then failed', () => twice('completed', 'failed'), 'TASK_STATE_COMPLETED'],
    ['failed, then completed', () => twice('failed', 'completed'), 'TASK_STATE_FAILED'],
    ['rejected, then completed', () => twice('rejected', 'completed'), 'TASK_STATE_REJECTED'],
    [
      'reject and reply',
      async ({ reject, reply }) => {
        reject('No');
        reply('Yes');
      },
      'TASK_STATE_REJECTED',
    ],
    [
      'reject and a result',
      async ({ reject }) => {
        reject('No');
        return 'a result';
      },
      'TASK_STATE_REJECTED',
    ],
    [
      'reject and a throw',
      async ({ reject }) => {
        reject('No');
        throw new Error('after the end');
      },
      'TASK_STATE_REJECTED',
    ],
    [
      'a throw in the finally of a generator that was ended',
      async function* run() {
        try {
          yield { status: 'completed' };
        } finally {
          boom();
        }
      },
      'TASK_STATE_COMPLETED',
    ],
    [
      'a generator that will not end',
      async function* run() {
        try {
          yield { status: 'completed' };
        } finally {
          await new Promise(() => {});
        }
      },
      'TASK_STATE_COMPLETED',
    ],
  ])('the first end of a task counts: %s', async (_, run, state) => {
    const { task, engine } = await harness(untyped(run), { variant });
    const done = await task('go');
    expect(done.status.state).toBe(state);
    await turns(10);
    const events = await collect(engine.subscribe(ANN, done.id, { after: 0 }));
    expect(events.at(-1)).toMatchObject({ kind: 'status' });
    expect(await engine.get(ANN, done.id)).toEqual(done);
  });

  test('the first of two replies counts', async () => {
    const { send } = await harness(
      untyped(async ({ reply }) => {
        reply('first');
        reply('second');
      }),
      { variant },
    );
    expect(await send('go')).toMatchObject({ message: { parts: [{ text: 'first' }] } });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'no'],
    ['a symbol', Symbol('no')],
    ['an object without a prototype', Object.create(null)],
    ['an object whose traps throw', hostile()],
    ['an error whose message cannot be read', Object.defineProperty(new Error('no'), 'message', { get: boom })],
    ['an error whose name cannot be read', Object.defineProperty(new Error('no'), 'name', { get: boom })],
  ])('a throw of %s fails the task with a reference', async (_, thrown) => {
    const { task } = await harness(
      async () => {
        throw thrown;
      },
      { variant },
    );
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).toMatch(/^The agent failed\. Reference: /);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['an object without a prototype', Object.create(null)],
    ['an object whose traps throw', hostile()],
  ])('a step that throws %s is a failed step', async (_, thrown) => {
    const { task } = await harness(
      async ({ step }) => {
        try {
          await step('odd', () => {
            throw thrown;
          });
        } catch {
          return 'caught';
        }
        return 'not thrown';
      },
      { variant },
    );
    expect(artifactText(await task('go'))).toBe('caught');
  });

  test('a handler that never settles times out, and its slot is free again', async () => {
    let runs = 0;
    const { task, clock } = await harness(
      async () => {
        runs++;
        if (runs === 1) await new Promise(() => {});
        return 'second';
      },
      { variant, limits: { timeoutMs: 1000, concurrency: 1 } },
    );
    const first = task('one');
    await until(() => runs === 1);
    const second = task('two');
    clock.advance(1000);
    expect(statusText(await first)).toBe('Task timed out');
    expect(artifactText(await second)).toBe('second');
  });
});

async function* twice(first: 'completed' | 'failed' | 'rejected', second: 'completed' | 'failed') {
  try {
    yield { status: first };
  } finally {
    // A generator that yields in its finally block resists its return.
    yield { status: second };
  }
}

function boom(): never {
  throw new Error('do not look');
}

/** An object that throws at every access. */
function hostile(): object {
  const traps = ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor'] as const;
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, boom])));
}
