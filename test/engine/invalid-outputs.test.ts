import { describe, expect, test } from 'vitest';
import type { Handler, TaskContext } from '../../src/engine/handler.ts';
import { ANN, artifactText, collect, harness, statusText, VARIANTS } from './harness.ts';

class Money {
  readonly #cents = 5;
  readonly currency = 'EUR';
  get cents(): number {
    return this.#cents;
  }
}

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

let deep: unknown = 'bottom';
for (let i = 0; i < 50_000; i++) deep = [deep];

function boom(): never {
  throw new Error('do not look');
}

/** By name, because a test runner that formats these values would crash. */
const NONSENSE = new Map<string, unknown>([
  ['a number', 5],
  ['NaN', Number.NaN],
  ['null', null],
  ['true', true],
  ['an array', ['a', 'b']],
  ['an empty object', {}],
  ['a function', () => 'text'],
  ['a symbol', Symbol('text')],
  ['a BigInt', 5n],
  ['a date', new Date(0)],
  ['a map', new Map([['text', 'a']])],
  ['an error', new Error('text')],
  ['a text that is not a string', { text: 5 }],
  ['two contents', { text: 'a', data: {} }],
  ['parts that are not a list', { parts: 'a' }],
  ['a part without content', { parts: [{}] }],
  ['a part that is a text', { parts: ['a'] }],
  ['a part with a number for a media type', { parts: [{ text: 'a', mediaType: 5 }] }],
  ['a part with a list for metadata', { parts: [{ text: 'a', metadata: [] }] }],
  ['an unknown status', { status: 'happy' }],
  ['a status from the prototype', { status: 'constructor' }],
  ['an artifact without a name', { artifact: '', text: 'a' }],
  ['a status and an artifact', { status: 'working', artifact: 'a', text: 'a' }],
  ['bytes that are not base64', { bytes: 'not base64!' }],
  ['data with a cycle', { data: cycle }],
  ['data that is too deep', { data: deep }],
  ['data with a BigInt', { data: { n: 5n } }],
  ['data that is a function', { data: () => 5 }],
  ['data with a getter that throws', { data: Object.defineProperty({}, 'x', { get: boom, enumerable: true }) }],
  ['data with a toJSON that throws', { data: { toJSON: boom } }],
  ['metadata with a cycle', { artifact: 'a', text: 'a', metadata: cycle }],
  ['a getter that throws', Object.defineProperty({}, 'text', { get: boom })],
  ['an object whose traps throw', new Proxy({}, { get: boom, has: boom, ownKeys: boom, getPrototypeOf: boom })],
  ['a revoked proxy', revoked()],
]);

const NAMES = [...NONSENSE.keys()];

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('invalid outputs', () => {
  test.each(NAMES)('a yield of %s fails the task and keeps earlier outputs', async (name) => {
    const { task, engine } = await harness(async function* run() {
      yield 'before';
      yield NONSENSE.get(name) as string;
      yield 'after';
    });
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).toMatch(/^The agent failed\. Reference: /);
    expect(artifactText(failed)).toBe('before');
    expect(await engine.get(ANN, failed.id)).toEqual(failed);
  });

  test.each(NAMES)('a return of %s fails the task', async (name) => {
    const { task } = await harness((async () => NONSENSE.get(name)) as Handler);
    expect((await task('go')).status.state).toBe('TASK_STATE_FAILED');
  });

  test.each(NAMES)('a status of %s that is not awaited causes no unhandled rejection', async (name) => {
    const nonsense = NONSENSE.get(name) as string;
    const { task } = await harness(async ({ status, artifact }) => {
      void status(nonsense);
      void artifact('a').append(nonsense);
      void artifact(nonsense).append('x');
    });
    await task('go');
  });
});

describe.each(VARIANTS)('$name', (variant) => {
  test('data is stored as JSON.stringify converts it', async () => {
    const { task, engine } = await harness(
      async function* run() {
        const data = { at: new Date(0), money: new Money(), nothing: undefined, odd: Number.NaN, list: [undefined] };
        yield { artifact: 'a', data: data as never };
        yield { artifact: 'b', parts: [{ data }] };
      },
      { variant },
    );
    const done = await task('go');
    const data = { at: '1970-01-01T00:00:00.000Z', money: { currency: 'EUR' }, odd: null, list: [null] };
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([[{ data }], [{ data }]]);
    expect(await engine.get(ANN, done.id)).toEqual(done);
  });

  test('an output above maxOutputBytes fails the task, and the artifact stays as it was', async () => {
    const { task } = await harness(
      async function* run() {
        yield 'small';
        yield 'x'.repeat(2000);
      },
      { variant, limits: { maxOutputBytes: 1000 } },
    );
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(artifactText(failed)).toBe('small');
  });

  test.each<[string, (ctx: TaskContext, text: string) => unknown]>([
    ['a status', (_, text) => once({ status: 'working', text })],
    ['the text of an end', (_, text) => once({ status: 'completed', text })],
    ['a question by a status', (_, text) => once({ status: 'input-required', text })],
    ['a reply', async ({ reply }, text) => reply(text)],
    ['a rejection', async ({ reject }, text) => reject(text)],
    ['a question', async ({ ask }, text) => void (await ask(text))],
    ['metadata', (_, text) => once({ status: 'working', text: 'a', metadata: { text } })],
    ['a result', async (_, text) => text],
    ['the result of a step', async ({ step }, text) => void (await step('big', () => text))],
  ])('maxOutputBytes limits %s', async (_, run) => {
    const { task } = await harness(((ctx: TaskContext) => run(ctx, 'x'.repeat(2000))) as Handler, {
      variant,
      limits: { maxOutputBytes: 1000 },
    });
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(failed)).not.toContain('xxxxx');
  });

  test('maxTaskBytes limits all artifacts of a task together', async () => {
    let yields = 0;
    const { task } = await harness(
      async function* run() {
        for (;;) {
          yields++;
          yield { artifact: `a${yields}`, text: 'x'.repeat(500) };
        }
      },
      { variant, limits: { maxTaskBytes: 10_000 } },
    );
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(failed.artifacts).length).toBeLessThan(10_000);
    expect(yields).toBeLessThan(20);
  });

  test('status messages count towards maxTaskBytes', async () => {
    const { task } = await harness(
      async function* run() {
        for (;;) yield { status: 'working', text: 'x'.repeat(500) };
      },
      { variant, limits: { maxTaskBytes: 10_000 } },
    );
    const failed = await task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(failed).length).toBeLessThan(20_000);
  });

  test('outputs that a replay repeats count once towards maxTaskBytes', async () => {
    const { task, reply } = await harness(
      async function* run({ ask }) {
        for (let i = 0; i < 10; i++) yield { artifact: 'a', text: 'x'.repeat(500), append: true };
        for (let i = 0; i < 4; i++) yield { status: 'working', text: `${i}${'x'.repeat(500)}` };
        await ask('Go on?');
        yield { artifact: 'a', text: 'end', append: true };
      },
      { variant, limits: { maxTaskBytes: 12_000 } },
    );
    const done = await reply(await task('go'), 'yes');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('outputs from before a pause count towards maxTaskBytes after it', async () => {
    const { task, reply } = await harness(
      async function* run({ ask }) {
        for (let i = 0; i < 12; i++) yield { status: 'working', text: `${i}${'x'.repeat(500)}` };
        await ask('Go on?');
        for (let i = 0; i < 12; i++) yield { status: 'working', text: `${i}${'y'.repeat(500)}` };
      },
      { variant, limits: { maxTaskBytes: 15_000 } },
    );
    const failed = await reply(await task('go'), 'yes');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
  });

  test('a handler that catches the error of an output above the limit continues', async () => {
    const { task, engine } = await harness(
      async ({ artifact }) => {
        await artifact('a')
          .append('x'.repeat(2000))
          .catch(() => {});
        await artifact('a').append('small enough');
      },
      { variant, limits: { maxOutputBytes: 1000 } },
    );
    const done = await task('go');
    expect(artifactText(done, 'a')).toBe('small enough');
    const events = await collect(engine.subscribe(ANN, done.id, { after: 0 }));
    expect(events.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4]);
  });
});

async function* once(output: unknown): AsyncGenerator<unknown, void> {
  yield output;
}
