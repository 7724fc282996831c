import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { Random } from '../simulation/random.ts';
import { ANN, artifactText, harness, statusText, until, type Variant, VARIANTS } from './harness.ts';

/** One call of a chain: a sleep of 0 ms, or a step that takes some microtasks. */
interface Call {
  readonly kind: 'step' | 'sleep';
  readonly name: string;
  readonly microtasks: number;
  /** It ends only after the first crash: a later attempt records it while it replays earlier records. */
  readonly hangsAtFirst: boolean;
}

function randomChains(random: Random): readonly (readonly Call[])[] {
  return Array.from({ length: random.int(2, 5) }, (_, chain) =>
    Array.from({ length: random.int(1, 4) }, (_call, i) => ({
      kind: random.chance(0.25) ? ('sleep' as const) : ('step' as const),
      name: `${chain}.${i}`,
      microtasks: random.int(0, 4),
      hangsAtFirst: i === 2 || (chain === 0 && i === 1),
    })),
  );
}

async function perform({ step, sleep }: TaskContext, call: Call, mayHang: boolean): Promise<void> {
  if (call.kind === 'sleep') return sleep(0);
  await step(call.name, async () => {
    for (let i = 0; i < call.microtasks; i++) await Promise.resolve();
    if (mayHang && call.hangsAtFirst) await new Promise(() => {});
  });
}

/** Runs concurrent chains up to a question, with a crash in between and one after it: the orders in which all calls ended. */
async function ordersOf(
  variant: Variant,
  chains: readonly (readonly Call[])[],
  onMismatch: 'continue' | 'hold' = 'continue',
): Promise<readonly string[][]> {
  const orders: string[][] = [];
  let mayHang = true;
  const first = await harness(
    async (ctx) => {
      const order: string[] = [];
      orders.push(order);
      const chained = chains.map(async (chain) => {
        for (const call of chain) {
          await perform(ctx, call, mayHang);
          order.push(call.name);
        }
      });
      await Promise.all(chained);
      await ctx.ask('Continue?');
    },
    { variant, limits: { onMismatch } },
  );
  const { id } = await first.task('go', { returnImmediately: true });
  const { clock } = first;
  await until(() => {
    // A run that was suspended for a sleep of 0 ms is due when the clock moves.
    clock.advance(1);
    return orders.at(-1)?.length === reachable(chains);
  });
  mayHang = false;
  const second = await first.crash();
  await until(async () => {
    clock.advance(1);
    return statusText(await second.engine.get(ANN, id)) === 'Continue?';
  });
  const third = await second.crash();
  await third.reply(await third.engine.get(ANN, id), 'yes');
  const warnings = [second, third].flatMap(({ log }) =>
    log.filter(({ message }) => message.includes('no longer matches')),
  );
  expect(warnings, 'The code has not changed').toEqual([]);
  return orders.filter((order) => order.length === chains.flat().length);
}

/** How many calls end before every chain has reached its end or a step that hangs. */
function reachable(chains: readonly (readonly Call[])[]): number {
  const lengths = chains.map((chain) => {
    const stop = chain.findIndex(({ kind, hangsAtFirst }) => kind === 'step' && hangsAtFirst);
    return stop < 0 ? chain.length : stop;
  });
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** The call that was faster at the first attempt must be faster at every other one, however writes were grouped. */
describe.each(VARIANTS)('$name', (variant) => {
  test('concurrent steps and sleeps complete in the same order at every attempt after the one that recorded them', async () => {
    for (let seed = 0; seed < 50; seed++) {
      const orders = await ordersOf(variant, randomChains(new Random(`race ${seed}`)));
      expect(orders.length).toBeGreaterThan(1);
      expect(orders.at(-1), `seed ${seed}`).toEqual(orders.at(-2));
    }
  });

  test('concurrent steps and sleeps of unchanged code are not held at any attempt', async () => {
    for (let seed = 0; seed < 15; seed++) {
      const orders = await ordersOf(variant, randomChains(new Random(`race ${seed}`)), 'hold');
      expect(orders.at(-1), `seed ${seed}`).toEqual(orders.at(-2));
    }
  });

  test('a sleep whose time has passed ends although the journal still delivers recorded steps', async () => {
    const call = (name: string, more: Partial<Call> = {}): Call => ({
      kind: 'step',
      name,
      microtasks: 0,
      hangsAtFirst: false,
      ...more,
    });
    const chains = [
      [call('0.0'), call('0.1', { hangsAtFirst: true }), call('0.2', { kind: 'sleep' }), call('0.3')],
      [call('1.0', { microtasks: 3 }), call('1.1', { microtasks: 3 }), call('1.2', { hangsAtFirst: true })],
    ];
    const orders = await ordersOf(variant, chains);
    expect(orders.at(-1)).toHaveLength(7);
  });

  test.each([5, 20])(
    'a race between the last of %i steps and a later step has the same winner in a replay',
    async (count) => {
      const winners: string[] = [];
      const node = await harness(
        async ({ ask, step }) => {
          const [first, second, ...others] = Array.from({ length: count }, (_, i) => step(`step ${i}`, () => i));
          const later = (second ?? Promise.resolve()).then(() => step('later', () => 0));
          const last = (others.at(-1) ?? later).then(() => 'the last of many');
          const winner = await Promise.race([last, later.then(() => 'the later one')]);
          winners.push(winner);
          await Promise.all([first, later, ...others]);
          await ask('Go on?');
          return winner;
        },
        { variant },
      );
      const asking = await node.task('go');
      expect(statusText(asking)).toBe('Go on?');

      const { reply } = await node.crash();

      expect(artifactText(await reply(asking, 'yes'))).toBe(winners[0]);
      expect(new Set(winners).size).toBe(1);
    },
  );

  test('a race between an answer and steps stored before it has the same winner in a replay', async () => {
    const winners: string[] = [];
    const door = deferred<void>();
    const stored = deferred<void>();
    const node = await harness(
      async ({ ask, step }) => {
        // Keeps the run from being suspended.
        const busy = step('busy', () => door.promise.then(() => 0));
        const answer = ask('Who?').then(() => 'the answer');
        await busy;
        const steps = Array.from({ length: 200 }, (_, i) => step(`step ${i}`, () => i));
        void steps[1]?.then(() => stored.resolve());
        const last = (steps.at(-1) ?? Promise.resolve(0)).then(() => 'the steps');
        const winner = await Promise.race([last, answer]);
        winners.push(winner);
        await Promise.all([...steps, answer]);
        await ask('Go on?');
        return winner;
      },
      { variant },
    );
    const begun = await node.task('go', { returnImmediately: true });
    await until(async () => statusText(await node.engine.get(ANN, begun.id)) === 'Who?');
    door.resolve();
    await stored.promise;
    const asking = await node.reply(begun, 'Ann');
    await until(async () => statusText(await node.engine.get(ANN, begun.id)) === 'Go on?');

    const { reply } = await node.crash();

    expect(artifactText(await reply(asking, 'yes'))).toBe(winners[0]);
    expect(new Set(winners).size).toBe(1);
  });
});

test('the step context and the inbox work when they are spread into new objects', async () => {
  const node = await harness(async ({ step, inbox }) => {
    const seen = await step('look', ({ attempt, ...rest }) => [attempt, Object.keys(rest), rest.signal.aborted]);
    return JSON.stringify([seen, Symbol.asyncIterator in { ...inbox }]);
  });

  expect(artifactText(await node.task('go'))).toBe(
    '[[1,["idempotencyKey","status","artifact","step","signal"],false],true]',
  );
});
