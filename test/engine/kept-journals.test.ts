/** The parts of the journals of ended tasks that are kept, for how long, and those that are removed in any case. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { RunLimits } from '../../src/engine/runnable.ts';
import { SENSITIVE } from '../../src/model/question.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { JournalRecord, Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import {
  ANN,
  artifactText,
  type Harness,
  harness,
  runnable,
  startHarness,
  statusText,
  STORES,
  until,
  userMessage,
  VARIANTS,
} from './harness.ts';

const SECRET = 'hunter2-'.repeat(4);
/** Longer than a page of the database file. */
const LONG_SECRET = SECRET.repeat(2000);

const MODES = ['none', 'outline', 'whole'] as const;

const orders: Handler = async ({ step, ask, sleep }) => {
  const receipt = await step('charge', () => ({ card: 'Visa' }));
  await step('ship', () => Promise.reject(new Error('No ship'))).catch(() => {});
  await ask('Any wishes?', { timeoutMs: 1000 }).catch(() => {});
  await sleep(500);
  return `${receipt.card}, ${await ask('Gift wrapping?')}`;
};

/** Runs the handler above to its end. */
async function ordered(node: Harness): Promise<string> {
  const { id } = await node.task('go');
  await until(async () => {
    node.clock.advance(100);
    const now = await node.engine.get(ANN, id);
    return statusText(now) === 'Gift wrapping?';
  });
  expect(artifactText(await node.reply(await node.engine.get(ANN, id), 'paper'))).toBe('Visa, paper');
  return id;
}

function outlineOf(journal: readonly JournalRecord[]): readonly unknown[] {
  return journal.map(({ kind, key, outline }) => [kind, key.replace(/:.*/, ''), outline?.['outcome']]);
}

describe.each(VARIANTS)('$name', (variant) => {
  test('by default an ended task keeps the outline of its journal: kinds, keys, times and outcomes, and no values', async () => {
    const node = await harness(orders, { variant });
    const start = node.clock.now();

    const journal = await node.store.journal(await ordered(node));

    expect(outlineOf(journal)).toEqual([
      ['step', 'charge#1', 'done'],
      ['step', 'ship#1', 'failed'],
      ['question', '0.1', undefined],
      ['answer', '0.1', 'expired'],
      ['sleep', '1', undefined],
      ['slept', '1', undefined],
      ['question', '0.2', undefined],
      ['answer', '0.2', 'answered'],
    ]);
    const times = journal.map(({ outline }) => Number(outline?.['at']));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBe(start);
    expect(journal.map(({ body }) => body)).toEqual(journal.map(() => null));
    expect(JSON.stringify(journal)).not.toMatch(/Visa|No ship|paper|wishes/);
  });

  test("with keepJournal: 'none' the journal is removed when the task ends", async () => {
    const node = await harness(orders, { variant, limits: { keepJournal: 'none' } });
    expect(await node.store.journal(await ordered(node))).toEqual([]);
  });

  test("with keepJournal: 'whole' the journal of an ended task is as it was, with its last entry", async () => {
    const node = await harness(orders, { variant, limits: { keepJournal: 'whole' } });
    const journal = await node.store.journal(await ordered(node));
    expect(journal[0]).toMatchObject({ kind: 'step', body: { value: { card: 'Visa' } } });
    expect(journal.at(-1)).toMatchObject({ kind: 'answer', body: { value: 'paper' } });
  });

  test('a canceled task keeps its journal like any other', async () => {
    const node = await harness(orders, { variant });
    const { id } = await node.task('go');
    await node.engine.cancel(ANN, id);
    expect(outlineOf(await node.store.journal(id)).slice(0, 2)).toEqual([
      ['step', 'charge#1', 'done'],
      ['step', 'ship#1', 'failed'],
    ]);
    expect((await node.store.journal(id)).every(({ body }) => body === null)).toBe(true);
  });

  test.each(MODES)('with keepJournal: %o no sensitive answer outlives the task in the journal', async (keepJournal) => {
    const { store, task } = await asksForSecrets(
      await harness(secretive, { variant, limits: secretiveLimits(keepJournal) }),
    );
    expect(JSON.stringify(await store.journal(task))).not.toContain('hunter2');
  });
});

/** Gets secrets in every way: answers, credentials, and messages that were meant as one. */
const secretive: Handler = async function* run({ text, ask, authorize, inbox }) {
  if (text.startsWith('second')) {
    yield 'thanks';
    return;
  }
  const typed = await ask('Password?', { sensitive: true });
  const message = await ask('Key file?', { sensitive: true, as: 'message' });
  const token = await authorize('Token?');
  const number = await ask({ form: 'Number?', fields: { n: { type: 'integer' } } }, { sensitive: true }).catch(() => 0);
  const late = await inbox.take();
  yield `${[typed, message.text, token, late.map((one) => one.text).join('')].map((one) => one.length).join(' ')} ${JSON.stringify(number)}`;
  yield { status: 'input-required', text: 'Anything else?' };
};

function secretiveLimits(keepJournal: RunLimits['keepJournal']): Partial<RunLimits> {
  return { keepJournal, onUnfitAnswer: 'cancel-question' };
}

async function asksForSecrets(node: Harness): Promise<{ readonly store: Store; readonly task: string }> {
  const asked = await node.task('go');
  await node.reply(asked, SECRET);
  await node.reply(asked, LONG_SECRET);
  const marked = { text: SECRET, metadata: { [SENSITIVE]: true } };
  await node.task('', { message: userMessage('', { taskId: asked.id, parts: [marked] }) });
  const paused = await node.reply(asked, SECRET);
  expect(artifactText(paused)).toMatch(/^32 64000 32 32 /);
  const second = { text: 'second' };
  await node.task('', { message: userMessage('', { taskId: asked.id, parts: [second, marked] }) });
  expect((await node.engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_COMPLETED');
  return { store: node.store, task: asked.id };
}

describe('in a SQLite file', () => {
  /** A folder with a database, and what opens it for an engine with a handler. */
  function database(): {
    readonly open: (run: Handler, limits: Partial<RunLimits>) => Promise<Harness>;
    readonly close: (node: Harness) => Promise<void>;
    readonly bytes: () => readonly Buffer[];
  } {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-kept-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const clock = fakeClock();
    return {
      open: (run, limits) => {
        const store = sqlite(join(folder, 'tasks.db'), { clock });
        return startHarness({ store, agents: [runnable(run, limits)], clock, maxSuspended: 0 }, clock);
      },
      close: async ({ engine, store }) => {
        await engine.close();
        await store.close();
      },
      bytes: () => readdirSync(folder).map((name) => readFileSync(join(folder, name))),
    };
  }

  test.each([
    ['none', 0, []],
    ['outline', 8, []],
    ['whole', 8, ['Visa', 'No ship', 'paper']],
  ] as const)('with keepJournal: %o the journal has %i entries after a restart', async (keepJournal, count, values) => {
    const { open, close } = database();
    const before = await open(orders, { keepJournal });
    const id = await ordered(before);
    const journal = await before.store.journal(id);
    await close(before);

    const after = await open(orders, { keepJournal });

    expect(await after.store.journal(id)).toEqual(journal);
    expect(journal).toHaveLength(count);
    const text = JSON.stringify(journal);
    expect(['Visa', 'No ship', 'paper'].filter((value) => text.includes(value))).toEqual(values);
    await close(after);
  });

  test.each(MODES)(
    'with keepJournal: %o no file has a byte of a sensitive answer after the end',
    async (keepJournal) => {
      const { open, close, bytes } = database();
      const node = await open(secretive, secretiveLimits(keepJournal));
      await asksForSecrets(node);
      await close(node);

      expect(bytes().length).toBeGreaterThan(0);
      for (const file of bytes()) expect(file.includes('hunter2')).toBe(false);
    },
  );
});

describe.each(STORES)('$name', (variant) => {
  test('a kept journal is removed with its task, after the retention of tasks', async () => {
    const node = await harness(orders, { variant, limits: { keepJournal: 'whole' }, retention: { maxAgeMs: 60_000 } });
    const id = await ordered(node);
    expect(await node.store.journal(id)).toHaveLength(8);

    node.clock.advance(61_000);
    await node.engine.prune();

    expect(await node.store.read(ANN, id)).toBeUndefined();
    expect(await node.store.journal(id)).toEqual([]);
  });

  test('a purge of the caller removes kept journals', async () => {
    const node = await harness(orders, { variant, limits: { keepJournal: 'whole' } });
    const id = await ordered(node);
    await node.engine.purge(ANN);
    expect(await node.store.journal(id)).toEqual([]);
  });
});
