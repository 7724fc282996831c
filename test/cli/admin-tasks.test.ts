/** The tasks of all callers in a store as operators see them, and the release of a task that changed code holds. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { artifactText, ANN, BOB, type Harness, runnable, startHarness, statusText, until } from '../engine/harness.ts';
import { type Ended, projectWith, tandem, TIMEOUT_MS } from './program.ts';

const before: Handler = async ({ text, step, ask }) => {
  if (text === 'end') return step('charge', () => 'Visa');
  await step('charge', () => 'Visa');
  return ask('Ship it?');
};

const after: Handler = async ({ step, ask }) => {
  const paid = await step('pay', () => 'paid');
  return `${paid}, ${await ask('Ship it?')}`;
};

interface Project {
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** Starts an engine on the store of the project. */
  readonly open: (handler: Handler) => Promise<Harness>;
  readonly close: (node: Harness) => Promise<void>;
}

function project(): Project {
  const cwd = projectWith();
  const clock = fakeClock();
  return {
    run: (...args) => tandem(['admin', ...args, '--store', 'own.db'], { cwd }).ended,
    open: (handler) => {
      // The commands use the clock of the system.
      clock.advance(Math.max(0, Date.now() - clock.now()));
      const store = sqlite(join(cwd, 'own.db'), { clock });
      const agents = [runnable(handler, { onMismatch: 'hold' })];
      return startHarness({ store, agents, clock, maxSuspended: 0 }, clock);
    },
    close: async ({ engine, store }) => {
      await engine.close();
      await store.close();
    },
  };
}

/** A project with a task of Ann that is held, one of Bob that waits, and one that has ended. */
async function withHeldTask(): Promise<
  Project & { readonly held: string; readonly asking: string; readonly ended: string }
> {
  const opened = project();
  const { open, close } = opened;
  const first = await open(before);
  const asked = await first.task('go');
  const other = await first.task('go', BOB);
  const done = await first.task('end', BOB);
  await close(first);
  const second = await open(after);
  await second.reply(asked, 'yes', { returnImmediately: true });
  await until(async () => {
    second.clock.advance(100);
    return (await second.store.journal(asked.id)).some(({ kind }) => kind === 'mismatch');
  });
  await close(second);
  return { ...opened, held: asked.id, asking: other.id, ended: done.id };
}

test(
  'tandem admin list shows the tasks of all callers, and which of them are held',
  { timeout: TIMEOUT_MS },
  async () => {
    const { run, held, asking, ended } = await withHeldTask();

    const rows = (await run('list')).stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(['ID', 'AGENT', 'OWNER', 'STATE', 'CHANGED', 'CODE']);
    expect(rows.slice(1).map(([id, agent, owner, state, , code]) => [id, agent, owner, state, code])).toEqual([
      [held, 'agent', 'ann', 'working', 'held'],
      [asking, 'agent', 'bob', 'input-required', '-'],
    ]);

    const json = async (...args: readonly string[]): Promise<{ tasks: { id: string }[]; next?: string }> =>
      JSON.parse((await run('list', '-o', 'json', ...args)).stdout) as never;
    expect(await json('--held')).toEqual({
      tasks: [
        expect.objectContaining({
          id: held,
          owner: 'ann',
          state: 'TASK_STATE_WORKING',
          isHeld: true,
          changedCode: [
            {
              at: expect.stringMatching(/Z$/) as string,
              treatment: 'held',
              recorded: ['step charge'],
              asked: ['step pay'],
            },
          ],
        }),
      ],
    });
    expect((await json('--changed')).tasks.map(({ id }) => id)).toEqual([held]);
    expect((await json('--all')).tasks.map(({ id }) => id)).toEqual([held, asking, ended]);
    expect(await json('--limit', '1')).toMatchObject({ tasks: [{ id: held }], next: held });
    expect((await json('--after', held)).tasks.map(({ id }) => id)).toEqual([asking]);
    expect((await json('--agent', 'another')).tasks).toEqual([]);
  },
);

test(
  'tandem admin show prints both sides of a difference, and the journal without values',
  { timeout: TIMEOUT_MS },
  async () => {
    const { run, held, ended } = await withHeldTask();

    const shown = await run('show', held);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^Owner: ann\nState: working\nSince: .*\nChanged code: held\n/m);
    expect(shown.stdout).toMatch(/^ {2}\S+Z {2}held {2}never asked for: step charge; new: step pay$/m);
    expect(shown.stdout).toMatch(/^ {4}1 {2}\S+Z {2}step charge {13,}done$/m);
    expect(shown.stdout).toMatch(/^ {4}2 {2}\S+Z {2}question 1$/m);
    expect(shown.stdout).toMatch(/^ {4}3 {2}\S+Z {2}answer 1 +answered$/m);
    expect(shown.stderr).toContain(`tandem admin release ${held}`);
    expect(shown.stdout).not.toContain('Visa');

    const { journal, isHeld } = JSON.parse((await run('show', ended, '-o', 'json')).stdout) as Record<string, unknown>;
    expect(journal).toEqual([
      { number: 1, kind: 'step', key: 'charge#1', at: expect.stringMatching(/Z$/) as string, outcome: 'done' },
    ]);
    expect(isHeld).toBe(false);
    expect(await run('show', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no task nobody') as string,
    });
  },
);

test(
  'tandem admin release lets a held task continue with the changed code, and only a held one',
  { timeout: TIMEOUT_MS },
  async () => {
    const { run, open, close, held, asking } = await withHeldTask();

    expect(await run('release', asking)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not held') as string,
    });
    expect(await run('release', held)).toMatchObject({ code: 0, stdout: `Released ${held}\n` });
    expect((await run('list', '--held')).stderr).toContain('No tasks found.');

    const node = await open(after);
    await until(async () => {
      node.clock.advance(100);
      return (await node.engine.get(ANN, held)).status.state !== 'TASK_STATE_WORKING';
    });
    const now = await node.engine.get(ANN, held);
    expect(statusText(now) ?? artifactText(now)).toBe('paid, yes');
    await close(node);
    expect((await run('list', '--all', '--changed')).stdout).toMatch(/completed .* continued/);
  },
);

test('tandem admin list and show reject a file that a server uses', { timeout: TIMEOUT_MS }, async () => {
  const { run, open, close } = project();
  const node = await open(before);
  for (const command of [['list'], ['show', 'x'], ['release', 'x']])
    expect(await run(...command)).toMatchObject({ code: 1, stderr: expect.stringMatching(/own\.db/u) as string });
  await close(node);
});
