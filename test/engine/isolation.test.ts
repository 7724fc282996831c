import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/handler.ts';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import type { Task } from '../../src/model/task.ts';
import type { Scope } from '../../src/store/store.ts';
import { turns } from './cluster.ts';
import { ANN, artifactText, collect, harness, userMessage, VARIANTS } from './harness.ts';

interface Party {
  readonly scope: Scope;
  readonly as: Partial<Submission>;
}

function party(tenant: string, owner: string): Party {
  const scope = { tenant, owner };
  return { scope, as: { ...scope, caller: { id: owner, isVerified: true } } };
}

/** Pairs of callers whose names a store could confuse. */
const PAIRS: readonly (readonly [string, Party, Party])[] = [
  ['two callers', party('', 'ann'), party('', 'bob')],
  ['one caller in two tenants', party('red', 'ann'), party('blue', 'ann')],
  ['names that look alike', party('a', 'b c'), party('a b', 'c')],
  ['names with separators', party('a","b', 'c'), party('a', 'b","c')],
  ['names that differ by case', party('', 'Ann'), party('', 'ann')],
  ['anonymous and named', party('', ''), party('', 'ann')],
];

describe.each(VARIANTS)('$name', (variant) => {
  describe.each(PAIRS)('%s', (_, ours, theirs) => {
    const secret = `secret of ${JSON.stringify(ours.scope)}`;

    test('no call of one caller finds the task of the other', async () => {
      const { task, engine } = await harness(async ({ text, ask }) => ask(text), { variant });
      const asked = await task(secret, { ...ours.as, alias: 'mine' });
      const unknown = { code: 'TASK_NOT_FOUND', message: `Task ${asked.id} does not exist` };
      await expect(engine.get(theirs.scope, asked.id)).rejects.toMatchObject(unknown);
      await expect(engine.cancel(theirs.scope, asked.id)).rejects.toMatchObject(unknown);
      await expect(collect(engine.subscribe(theirs.scope, asked.id))).rejects.toMatchObject(unknown);
      await expect(collect(engine.subscribe(theirs.scope, asked.id, { after: 0 }))).rejects.toMatchObject(unknown);
      const answer = { ...theirs.as, message: userMessage('answer', { taskId: asked.id }) };
      await expect(task('answer', answer)).rejects.toMatchObject(unknown);
      expect(await engine.list(theirs.scope, { limit: 10 })).toEqual({ tasks: [], total: 0 });
      expect(await engine.list(theirs.scope, { limit: 10, contextId: asked.contextId ?? '' })).toMatchObject({
        total: 0,
      });
      // An alias that one caller uses is free for the other.
      expect((await task('x', { ...theirs.as, alias: 'mine' })).id).not.toBe(asked.id);
      expect(await engine.get(ours.scope, asked.id)).toEqual(asked);
    });

    test('the same idempotency key, message id and context id of two callers are two requests', async () => {
      const { task, engine } = await harness(
        async ({ text, history, task: { contextId } }) => {
          const earlier = await history();
          return `${text} ${contextId} ${earlier.length}`;
        },
        { variant },
      );
      const message = userMessage(secret, { contextId: 'shared', messageId: 'same' });
      const other = userMessage('other', { contextId: 'shared', messageId: 'same' });
      const first = await task(secret, { ...ours.as, message, idempotencyKey: 'key' });
      const second = await task('other', { ...theirs.as, message: other, idempotencyKey: 'key' });
      const third = await task('other', { ...theirs.as, message: { ...other, messageId: 'next' } });
      expect([first, second, third].map((done) => artifactText(done))).toEqual([
        `${secret} shared 0`,
        'other shared 0',
        'other shared 1',
      ]);
      expect(JSON.stringify(await engine.list(theirs.scope, { limit: 10, artifacts: true }))).not.toContain('secret');
    });

    test('concurrent tasks of two callers share no question, artifact or message', async () => {
      const seen: TaskContext[] = [];
      const { task } = await harness(
        async function* run(ctx) {
          seen.push(ctx);
          yield { artifact: 'same', text: ctx.text };
          const answer = await ctx.ask('Same question?');
          yield { artifact: 'same', text: ` ${answer} ${ctx.caller.id} ${ctx.tenant}`, append: true };
          const messages = await ctx.inbox.take();
          yield { artifact: 'same', text: ` ${messages.length}`, append: true };
        },
        { variant },
      );
      const begin = (who: Party, text: string): Promise<Task> =>
        task(text, { ...who.as, message: userMessage(text, { contextId: 'shared' }) });
      const [a, b] = await Promise.all([begin(ours, 'one'), begin(theirs, 'two')]);
      const answer = (who: Party, to: Task, text: string): Promise<Task> =>
        task(text, { ...who.as, message: userMessage(text, { taskId: to.id }) });
      const [x, y] = await Promise.all([answer(ours, a, 'red'), answer(theirs, b, 'blue')]);
      expect(artifactText(x, 'same')).toBe(`one red ${ours.scope.owner} ${ours.scope.tenant} 0`);
      expect(artifactText(y, 'same')).toBe(`two blue ${theirs.scope.owner} ${theirs.scope.tenant} 0`);
      expect(new Set(seen).size).toBe(seen.length);
    });
  });

  test('caller and tenant of the context come from the request, not from its body', async () => {
    const { task } = await harness(async ({ caller, tenant }) => `${caller.id} ${tenant}`, { variant });
    const message = userMessage('go', { metadata: { caller: 'bob', owner: 'bob', tenant: 'blue' } });
    expect(artifactText(await task('go', { message, metadata: { caller: 'bob', tenant: 'blue' } }))).toBe('ann ');
  });

  test('changes of a handler to its context do not reach other runs', async () => {
    const contexts: TaskContext[] = [];
    const { task } = await harness(
      async (ctx) => {
        contexts.push(ctx);
        const { message, parts, caller, metadata, extensions, acceptedOutputModes } = ctx;
        const before = JSON.stringify([message.parts, parts, caller, metadata, extensions, acceptedOutputModes]);
        for (const value of [
          message,
          message.parts,
          parts,
          parts[0],
          caller,
          metadata,
          extensions,
          acceptedOutputModes,
        ])
          Reflect.set(value ?? {}, 'left', 'behind');
        Reflect.set(ctx, 'left', 'behind');
        return before;
      },
      { variant },
    );
    const shared = { metadata: { a: 1 }, extensions: ['e'], acceptedOutputModes: ['text/plain'] };
    const parts = [{ text: 'same' }];
    const send = (): Promise<Task> => task('', { ...shared, message: userMessage('', { parts }) });
    const texts = [await send(), await send(), ...(await Promise.all([send(), send()]))].map((done) =>
      artifactText(done),
    );
    expect(new Set(texts)).toEqual(
      new Set(['[[{"text":"same"}],[{"text":"same"}],{"id":"ann","isVerified":true},{"a":1},["e"],["text/plain"]]']),
    );
    expect(shared).toEqual({ metadata: { a: 1 }, extensions: ['e'], acceptedOutputModes: ['text/plain'] });
    expect(parts).toEqual([{ text: 'same' }]);
    for (const [i, ctx] of contexts.entries())
      for (const other of contexts.slice(i + 1)) expect(ctx.message).not.toBe(other.message);
  });

  test('two engines in one process on two stores share no tasks', async () => {
    const run = async ({ text }: TaskContext): Promise<string> => text;
    const [one, two] = [await harness(run, { variant }), await harness(run, { variant })];
    const done = await one.task('only here');
    await expect(two.engine.get(ANN, done.id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await one.engine.close();
    await turns(2);
    expect(artifactText(await two.task('still here'))).toBe('still here');
  });
});

describe.each(VARIANTS)('$name', (variant) => {
  test.each<[field: string, submission: (name: string) => Partial<Submission>]>([
    ['tenant', (tenant) => ({ tenant })],
    ['owner', (owner) => ({ owner })],
    ['message.messageId', (messageId) => ({ message: userMessage('x', { messageId }) })],
    ['message.contextId', (contextId) => ({ message: userMessage('x', { contextId }) })],
    ['message.taskId', (taskId) => ({ message: userMessage('x', { taskId }) })],
    ['idempotencyKey', (idempotencyKey) => ({ idempotencyKey })],
    ['alias', (alias) => ({ alias })],
    ['pushConfig.config.id', (id) => ({ pushConfig: { config: { id, url: 'https://example.com/' }, dialect: '1.0' } })],
  ])('a NUL character or half a surrogate pair in %s is rejected', async (field, submission) => {
    const { task, engine } = await harness(async () => 'done', { variant });
    for (const name of ['a\0', 'a\0b', 'a\ud83d', '\udd11a']) {
      const refused = { code: 'INVALID_PARAMS', violations: [expect.objectContaining({ field })] };
      await expect(task('x', submission(name))).rejects.toMatchObject(refused);
    }
    expect(await engine.list(ANN, { limit: 10 })).toMatchObject({ total: 0 });
  });
});
