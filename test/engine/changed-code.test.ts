/** Warnings and held tasks after the code of a handler was changed while a task was open. */
import { describe, expect, test } from 'vitest';
import type { Handler, TaskContext } from '../../src/engine/handler.ts';
import { DEFAULT_LIMITS, type Runnable } from '../../src/engine/runnable.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { deferred } from '../../src/support/deferred.ts';
import {
  ANN,
  artifactText,
  type Harness,
  harness,
  statusText,
  until,
  userMessage,
  type Variant,
  VARIANTS,
} from './harness.ts';

const WARNING = 'Handler no longer matches the journal of its task';

interface Deployed {
  readonly node: Harness;
  readonly id: string;
  /** The steps that ran, in order, with both versions. */
  readonly effects: readonly string[];
  readonly metrics: Metrics;
  /** Starts a node with another version in the place of the last one. */
  readonly deploy: (version: Version) => Promise<Harness>;
  readonly answer: (text: string) => ReturnType<Harness['reply']>;
  /** The fields of the warnings of the second version that compare the two sides. */
  readonly warnings: () => readonly { readonly recorded: unknown; readonly asked: unknown }[];
}

type Version = (ctx: TaskContext, effect: (name: string) => () => string) => Promise<string>;

/** Runs a task with one version until it asks, and starts a node with another version on the same store. */
async function deployed(
  variant: Variant,
  before: Version,
  after: Version,
  onMismatch: 'continue' | 'hold' = 'continue',
): Promise<Deployed> {
  const effects: string[] = [];
  const effect = (name: string) => () => {
    effects.push(name);
    return name;
  };
  const metrics = new Metrics();
  const running =
    (version: Version): Handler =>
    (ctx) =>
      version(ctx, effect);
  const agent = (version: Version): Runnable => ({
    id: 'agent',
    run: running(version),
    limits: { ...DEFAULT_LIMITS, onMismatch },
  });
  const first = await harness(running(before), { variant, limits: { onMismatch } });
  const asking = await first.task('go');
  const node = await first.restart({ agents: [agent(after)], observers: { metrics } });
  return {
    node,
    id: asking.id,
    effects,
    metrics,
    deploy: (version) => node.restart({ agents: [agent(version)] }),
    answer: (text) => node.reply(asking, text),
    warnings: () =>
      node.log
        .filter(({ message }) => message === WARNING)
        .map(({ fields }) => {
          expect(fields).toMatchObject({ taskId: asking.id, agent: 'agent' });
          return { recorded: fields?.['recorded'], asked: fields?.['asked'] };
        }),
  };
}

const asksAfterCharge: Version = async ({ step, ask }, effect) => {
  const receipt = await step('charge', effect('charge'));
  const answer = await ask('Ship it?');
  return `${receipt}, ${answer}`;
};

describe.each(VARIANTS)('$name', (variant) => {
  test('an unchanged handler logs no warning', async () => {
    const { answer, effects, warnings, metrics } = await deployed(variant, asksAfterCharge, asksAfterCharge);

    expect(artifactText(await answer('yes'))).toBe('charge, yes');
    expect(effects).toEqual(['charge']);
    expect(warnings()).toEqual([]);
    expect(metrics.text()).not.toContain('tandem_code_mismatches_total{');
  });

  test('a renamed step runs again, with a warning that names both steps', async () => {
    const { answer, effects, warnings, metrics } = await deployed(
      variant,
      asksAfterCharge,
      async ({ step, ask }, effect) => {
        const receipt = await step('pay', effect('pay'));
        return `${receipt}, ${await ask('Ship it?')}`;
      },
    );

    expect(artifactText(await answer('yes'))).toBe('pay, yes');
    expect(effects).toEqual(['charge', 'pay']);
    expect(warnings()).toEqual([{ recorded: ['step charge'], asked: ['step pay'] }]);
    expect(metrics.text()).toContain('tandem_code_mismatches_total{agent="agent",outcome="continued"} 1');
  });

  test('a removed step is named in a warning', async () => {
    const { answer, warnings } = await deployed(variant, asksAfterCharge, async ({ ask }) => ask('Ship it?'));

    expect(artifactText(await answer('yes'))).toBe('yes');
    expect(warnings()).toEqual([{ recorded: ['step charge'], asked: [] }]);
  });

  test('a mismatch that is found when the task ends is marked in the outline of its journal', async () => {
    const { node, id, answer } = await deployed(variant, asksAfterCharge, async ({ ask }) => ask('Ship it?'));
    await answer('yes');

    const marks = (await node.store.journal(id)).filter(({ kind }) => kind === 'mismatch');

    expect(marks).toMatchObject([{ body: null, outline: { recorded: ['step charge'], asked: [], isHeld: false } }]);
  });

  test('a new step before a recorded one logs no warning, because the recorded one is used', async () => {
    const { answer, effects, warnings } = await deployed(variant, asksAfterCharge, async (ctx, effect) => {
      await ctx.step('audit', effect('audit'));
      return asksAfterCharge(ctx, effect);
    });

    expect(artifactText(await answer('yes'))).toBe('charge, yes');
    expect(effects).toEqual(['charge', 'audit']);
    expect(warnings()).toEqual([]);
  });

  test('a reworded question is asked again, with a warning when the task waits for it', async () => {
    const { node, id, answer, effects, warnings } = await deployed(
      variant,
      asksAfterCharge,
      async ({ step, ask }, effect) => {
        const receipt = await step('charge', effect('charge'));
        return `${receipt}, ${await ask('Shall we ship it?')}`;
      },
    );

    expect(statusText(await answer('yes'))).toBe('Shall we ship it?');
    expect(warnings()).toEqual([{ recorded: ['question 1'], asked: ['question 1'] }]);
    // Operators find the mark in the journal.
    const marks = (await node.store.journal(id)).filter(({ kind }) => kind === 'mismatch');
    expect(marks.map(({ body }) => body)).toMatchObject([{ recorded: ['question 1'], asked: ['question 1'] }]);
    expect(artifactText(await answer('yes'))).toBe('charge, yes');
    expect(effects).toEqual(['charge']);
    expect(warnings()).toHaveLength(1);
  });

  test('a removed question is named in a warning', async () => {
    const { answer, effects, warnings } = await deployed(variant, asksAfterCharge, async ({ step }, effect) =>
      step('charge', effect('charge')),
    );

    expect(artifactText(await answer('yes'))).toBe('charge');
    expect(effects).toEqual(['charge']);
    expect(warnings()).toEqual([{ recorded: ['question 1'], asked: [] }]);
  });

  test('another question before a recorded one is asked first, with a warning', async () => {
    const { answer, effects, warnings } = await deployed(variant, asksAfterCharge, async ({ step, ask }, effect) => {
      const receipt = await step('charge', effect('charge'));
      const size = await ask('Which size?');
      return `${receipt}, ${size}, ${await ask('Ship it?')}`;
    });

    expect(statusText(await answer('yes'))).toBe('Which size?');
    expect(warnings()).toEqual([{ recorded: ['question 1'], asked: ['question 1'] }]);
    expect(statusText(await answer('M'))).toBe('Ship it?');
    expect(artifactText(await answer('yes'))).toBe('charge, M, yes');
    expect(effects).toEqual(['charge']);
  });

  test('a warning that was recorded is not repeated by later attempts', async () => {
    const changed: Version = async ({ step, ask }, effect) => {
      const receipt = await step('pay', effect('pay'));
      await ask('Ship it?');
      return `${receipt}, ${await ask('Sure?')}`;
    };
    const { node, answer, effects, warnings, id } = await deployed(variant, asksAfterCharge, changed);
    expect(statusText(await answer('yes'))).toBe('Sure?');
    expect(warnings()).toHaveLength(1);

    const next = await node.restart();
    expect(artifactText(await next.reply(await next.engine.get(ANN, id), 'yes'))).toBe('pay, yes');

    expect(next.log.filter(({ message }) => message === WARNING)).toEqual([]);
    expect(effects).toEqual(['charge', 'pay']);
  });

  test('a canceled task and a failed handler log no warning about recorded work that they did not reach', async () => {
    const canceled = await deployed(variant, asksAfterCharge, async ({ signal }) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'canceled';
    });
    await canceled.node.engine.cancel(ANN, canceled.id);
    expect(canceled.warnings()).toEqual([]);

    const failed = await deployed(variant, asksAfterCharge, async () => {
      throw new Error('before the step');
    });
    expect((await failed.answer('yes')).status.state).toBe('TASK_STATE_FAILED');
    expect(failed.warnings()).toEqual([]);
  });

  test('a handler that fails after it ran a renamed step again logs a warning', async () => {
    const { answer, effects, warnings } = await deployed(variant, asksAfterCharge, async ({ step }, effect) => {
      await step('pay', effect('pay'));
      throw new Error('after the step');
    });

    expect((await answer('yes')).status.state).toBe('TASK_STATE_FAILED');
    expect(effects).toEqual(['charge', 'pay']);
    expect(warnings()).toEqual([{ recorded: ['step charge'], asked: ['step pay'] }]);
  });

  test('the loser of a race logs no warning', async () => {
    const races: Version = async ({ step, ask, sleep }, effect) => {
      const loser = sleep(1_000).then(() => step('late', effect('late')));
      const winner = await Promise.race([loser, step('fast', effect('fast'))]);
      const answer = await Promise.race([loser, ask('Ship it?')]);
      return `${winner}, ${answer}`;
    };
    const { answer, warnings } = await deployed(variant, races, races);

    expect(artifactText(await answer('yes'))).toBe('fast, yes');
    expect(warnings()).toEqual([]);
  });

  test('parallel chains of different length that a crash interrupts log no warning', async () => {
    let mayHang = true;
    let recorded = 0;
    const node = await harness(
      async ({ step, ask }) => {
        const chain = async (name: string, length: number): Promise<void> => {
          for (let i = 0; i < length; i++) {
            await step(`${name}${i}`, async () => {
              if (mayHang && i === length - 1) await new Promise(() => {});
              return i;
            });
            recorded++;
          }
        };
        await Promise.all([chain('a', 1), chain('b', 3), chain('c', 9)]);
        return ask('Go on?');
      },
      { variant },
    );
    const { id } = await node.task('go', { returnImmediately: true });
    await until(() => recorded === 0 + 2 + 8);
    mayHang = false;

    const next = await node.crash();

    await until(async () => statusText(await next.engine.get(ANN, id)) === 'Go on?');
    expect(artifactText(await next.reply(await next.engine.get(ANN, id), 'yes'))).toBe('yes');
    expect(next.log.filter(({ message }) => message === WARNING)).toEqual([]);
  });

  test('a recorded outer step is not compared with the steps inside of it', async () => {
    const nested: Version = async ({ step, ask }, effect) => {
      const result = await step('outer', async (outer) => outer.step('inner', effect('inner')));
      return `${result}, ${await ask('Ship it?')}`;
    };
    const { answer, effects, warnings } = await deployed(variant, nested, nested);

    expect(artifactText(await answer('yes'))).toBe('inner, yes');
    expect(effects).toEqual(['inner']);
    expect(warnings()).toEqual([]);
  });

  test('a step that names its earlier name uses the recorded result, also for the second step of that name', async () => {
    const { answer, effects, warnings } = await deployed(
      variant,
      async ({ step, ask }, effect) => {
        await step('charge', effect('charge 1'));
        await step('charge', effect('charge 2'));
        return ask('Ship it?');
      },
      async ({ step, ask }, effect) => {
        const results = [];
        for (const item of [1, 2, 3]) results.push(await step('pay', effect(`pay ${item}`), { was: 'charge' }));
        return `${results.join(', ')}, ${await ask('Ship it?')}`;
      },
    );

    expect(artifactText(await answer('yes'))).toBe('charge 1, charge 2, pay 3, yes');
    expect(effects).toEqual(['charge 1', 'charge 2', 'pay 3']);
    expect(warnings()).toEqual([]);
  });

  test('a new step under the earlier name of another one is not mistaken for it', async () => {
    const { answer, effects } = await deployed(variant, asksAfterCharge, async ({ step, ask }, effect) => {
      const paid = await step('pay', effect('pay'), { was: 'charge' });
      const charged = await step('charge', effect('charge again'));
      return `${paid}, ${charged}, ${await ask('Ship it?')}`;
    });

    expect(artifactText(await answer('yes'))).toBe('charge, charge again, yes');
    expect(effects).toEqual(['charge', 'charge again']);
  });

  test('a renamed step that was interrupted gets the idempotency key and the inner steps of its earlier name', async () => {
    const keys: string[] = [];
    const effects: string[] = [];
    let deploys = 0;
    const node = await harness(
      async ({ step }) => {
        const isFirst = deploys === 0;
        const name = isFirst ? 'charge' : 'pay';
        return step(
          name,
          async ({ idempotencyKey, step: inner }) => {
            keys.push(idempotencyKey);
            await inner('reserve', () => effects.push(name));
            if (isFirst) await new Promise(() => {});
            return name;
          },
          isFirst ? {} : { was: 'charge' },
        );
      },
      { variant },
    );
    const { id } = await node.task('go', { returnImmediately: true });
    await until(async () => (await node.store.journal(id)).length > 0);
    deploys++;

    const next = await node.crash();

    await until(async () => (await next.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect(effects).toEqual(['charge']);
    expect(next.log.filter(({ message }) => message === WARNING)).toEqual([]);
  });

  test('an earlier name that is not a text is rejected', async () => {
    const node = await harness(({ step }) => step('pay', () => 'paid', { was: '' }), { variant });

    expect((await node.task('go')).status.state).toBe('TASK_STATE_FAILED');
  });

  test.each([
    ['text', 'Ship it?', 'Shall we ship it?', 'yes'],
    ['confirmation', { confirm: 'Ship it?' }, { confirm: 'Shall we ship it?' }, true],
    ['choice', { choose: 'Ship it?', options: ['yes', 'no'] }, { choose: 'Shall we?', options: ['yes', 'no'] }, 'yes'],
  ] as const)(
    'a reworded %s that names its earlier text stays open and is not asked again',
    async (_kind, old, now, value) => {
      const { answer, warnings } = await deployed(
        variant,
        async ({ ask }) => JSON.stringify(await ask(old as never)),
        async ({ ask }) => JSON.stringify(await ask(now as never, { was: 'Ship it?' })),
      );

      expect(artifactText(await answer('yes'))).toBe(JSON.stringify(value));
      expect(warnings()).toEqual([]);
    },
  );

  test('a reworded request for authorization that names its earlier text stays open', async () => {
    const url = 'https://login.example/';
    const { node, id, warnings } = await deployed(
      variant,
      async ({ authorize }) => authorize({ text: 'Log in', url }),
      async ({ authorize }) => authorize({ text: 'Please log in', url }, { was: 'Log in' }),
    );

    await node.engine.authorize(ANN, id, 'secret');

    await until(async () => (await node.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await node.engine.get(ANN, id))).toBe('secret');
    expect(warnings()).toEqual([]);
  });

  test('a reworded question that a schema repeated names the earlier text for each repetition', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) =>
          value === '5' ? { value: 5 } : { issues: [{ message: 'expected 5', path: undefined }] },
      },
    };
    const { answer, warnings } = await deployed(
      variant,
      async ({ ask }) => String(await ask('How many?', { schema })),
      async ({ ask }) => String(await ask('How many now?', { schema, was: 'How many?' })),
    );

    const repeated = await answer('6');
    // It was not asked before, so it has the new text.
    expect(statusText(repeated)).toContain('How many now?\nThe last answer did not match');
    expect(artifactText(await answer('5'))).toBe('5');
    expect(warnings()).toEqual([]);
  });

  const paysInstead: Version = async ({ step, ask }, effect) => {
    const receipt = await step('pay', effect('pay'));
    return `${receipt}, ${await ask('Ship it?')}`;
  };

  /** Answers without waiting, and returns when the task is held. */
  async function heldAfterAnswer({ node, id }: Deployed): Promise<void> {
    await node.task('yes', { returnImmediately: true, message: userMessage('yes', { taskId: id }) });
    await untilHeld(node, id);
  }

  test('with onMismatch "hold" a renamed step does not run, and the task waits without slot and lease', async () => {
    const held = await deployed(variant, asksAfterCharge, paysInstead, 'hold');

    await heldAfterAnswer(held);

    const { node, id, effects, warnings, metrics } = held;
    expect(effects).toEqual(['charge']);
    expect(warnings()).toEqual([{ recorded: ['step charge'], asked: ['step pay'] }]);
    expect(metrics.text()).toContain('tandem_code_mismatches_total{agent="agent",outcome="held"} 1');
    expect(metrics.text()).toContain('tandem_runs{agent="agent"} 0');
    expect((await node.engine.get(ANN, id)).status.state).toBe('TASK_STATE_WORKING');
  });

  test('a held task is tried again every minute, and completes when matching code is deployed', async () => {
    const held = await deployed(variant, asksAfterCharge, paysInstead, 'hold');
    await heldAfterAnswer(held);
    const { node, id, effects, warnings, deploy } = held;
    const { fence = 0 } = (await node.store.read(ANN, id))?.record ?? {};
    node.clock.advance(60_000);
    await until(async () => ((await node.store.read(ANN, id))?.record.fence ?? 0) > fence);
    await untilHeld(node, id);
    expect(warnings()).toHaveLength(1);

    const fixed = await deploy(asksAfterCharge);
    fixed.clock.advance(60_000);

    await until(async () => (await fixed.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await fixed.engine.get(ANN, id))).toBe('charge, yes');
    expect(effects).toEqual(['charge']);
  });

  test('an operator lets a held task continue with the changed code', async () => {
    const held = await deployed(variant, asksAfterCharge, paysInstead, 'hold');
    const { node, id, effects } = held;
    await expect(node.engine.release(id)).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
    await heldAfterAnswer(held);

    await node.engine.release(id);

    await until(async () => (await node.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await node.engine.get(ANN, id))).toBe('pay, yes');
    expect(effects).toEqual(['charge', 'pay']);
    await expect(node.engine.release(id)).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
  });

  test('a task that has made progress after it was held is not held, until code that does not match is deployed again', async () => {
    const held = await deployed(variant, asksAfterCharge, paysInstead, 'hold');
    await heldAfterAnswer(held);
    const { node, id, deploy } = held;
    const fixed = await deploy(async ({ step, ask }, effect) => {
      const receipt = await step('charge', effect('charge'));
      await ask('Ship it?');
      await step('ship', effect('ship'));
      return `${receipt}, ${await ask('Sure?')}`;
    });
    fixed.clock.advance(60_000);
    await until(async () => statusText(await fixed.engine.get(ANN, id)) === 'Sure?');
    await expect(fixed.engine.release(id)).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });

    await fixed.engine.close();
    const again = await deploy(paysInstead);
    await again.task('yes', { returnImmediately: true, message: userMessage('yes', { taskId: id }) });
    await until(async () => {
      again.clock.advance(100);
      return (await node.store.journal(id)).filter(({ kind }) => kind === 'mismatch').length === 2;
    });

    expect(again.log.filter(({ message }) => message === WARNING)).toHaveLength(1);
    await again.engine.release(id);
  });

  test('a held task can be canceled', async () => {
    const held = await deployed(variant, asksAfterCharge, paysInstead, 'hold');
    await heldAfterAnswer(held);

    const canceled = await held.node.engine.cancel(ANN, held.id);

    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(held.effects).toEqual(['charge']);
  });

  test('with onMismatch "hold" a reworded question is not asked, and its removal does not end the task', async () => {
    for (const text of ['Shall we ship it?', undefined]) {
      const changed: Version = async ({ step, ask }, effect) => {
        const receipt = await step('charge', effect('charge'));
        return text === undefined ? receipt : `${receipt}, ${await ask(text)}`;
      };
      const held = await deployed(variant, asksAfterCharge, changed, 'hold');

      await heldAfterAnswer(held);

      const { node, id, warnings } = held;
      expect(warnings()).toEqual([{ recorded: ['question 1'], asked: text === undefined ? [] : ['question 1'] }]);
      expect((await node.engine.get(ANN, id)).status.state).toBe('TASK_STATE_WORKING');
    }
  });

  test('with onMismatch "hold" a branch may take time outside of steps before it asks for a recorded step', async () => {
    const door = deferred<void>();
    let isReplay = false;
    const program: Version = async ({ step, ask }, effect) => {
      const slow = (async () => {
        if (isReplay) await door.promise;
        return step('slow', effect('slow'));
      })();
      await (isReplay ? step('new', effect('new')) : slow);
      return `${await slow}, ${await ask('Ship it?')}`;
    };
    const { node, answer, effects, warnings } = await deployed(variant, program, program, 'hold');
    isReplay = true;
    const answered = answer('yes');
    await turns(100);
    door.resolve();
    await until(() => {
      node.clock.advance(100);
      return effects.includes('new');
    });

    expect(artifactText(await answered)).toBe('slow, yes');
    expect(effects).toEqual(['slow', 'new']);
    expect(warnings()).toEqual([]);
  });

  test('a task is held only when the steps that are running have ended and are recorded', async () => {
    const started = deferred<void>();
    const door = deferred<void>();
    const asks: Version = async ({ ask }) => ask('Ship it?');
    const changed: Version = async ({ step, ask }, effect) => {
      const long = step('long', async () => {
        started.resolve();
        await door.promise;
        return effect('long')();
      });
      return `${await ask('Shall we ship it?')}, ${await long}`;
    };
    const { node, id, effects } = await deployed(variant, asks, changed, 'hold');
    await node.task('yes', { returnImmediately: true, message: userMessage('yes', { taskId: id }) });
    await started.promise;
    for (let seconds = 0; seconds < 5; seconds++) {
      await turns(20);
      node.clock.advance(1_000);
    }
    expect((await node.store.read(ANN, id))?.record.node).toBeDefined();

    door.resolve();
    await untilHeld(node, id);

    const kinds = (await node.store.journal(id)).map(({ kind }) => kind);
    expect(kinds.slice(-2)).toEqual(['step', 'mismatch']);
    expect(effects).toEqual(['long']);
  });
});

/** Waits for some turns of the event loop. */
async function turns(count: number): Promise<void> {
  let passed = 0;
  await until(() => ++passed > count);
}

/** Moves the clock until the task is held. */
async function untilHeld({ clock, store }: Harness, id: string): Promise<void> {
  await until(async () => {
    clock.advance(100);
    const { node, wakeAt = 0 } = (await store.read(ANN, id))?.record ?? {};
    const isMarked = (await store.journal(id)).some(({ kind }) => kind === 'mismatch');
    return isMarked && node === undefined && wakeAt > clock.now();
  });
}
