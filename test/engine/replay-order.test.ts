import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, type Harness, harness, statusText, until, VARIANTS } from './harness.ts';

/** Advances the clock in small steps until the task asks this question. */
async function untilAsked({ engine, clock }: Harness, id: string, question: string): Promise<void> {
  await until(async () => {
    clock.advance(1000);
    return statusText(await engine.get(ANN, id)) === question;
  });
}

describe.each(VARIANTS)('$name', (variant) => {
  test('an answer that came before the end of a sleep comes before it in a replay', async () => {
    const node = await harness(
      async ({ ask, sleep }) => {
        const first = await Promise.race([ask('Who?'), sleep(60_000).then(() => 'nobody')]);
        await ask('Go on?');
        return first;
      },
      { variant },
    );
    const again = await node.reply(await node.task('go'), 'Ann');
    expect(statusText(again)).toBe('Go on?');
    node.clock.advance(120_000);
    const { reply } = await node.crash();
    expect(artifactText(await reply(again, 'yes'))).toBe('Ann');
  });

  test('a sleep that ended after an answer ends after it in a replay', async () => {
    const node = await harness(
      async ({ ask, sleep }) => {
        const slept = sleep(60_000).then(() => 'nobody');
        const first = await Promise.race([ask('Who?'), slept]);
        await slept;
        await ask('Go on?');
        return first;
      },
      { variant },
    );
    const asked = await node.task('go');
    const again = node.reply(asked, 'Ann');
    await untilAsked(node, asked.id, 'Go on?');
    const { reply } = await node.crash();
    expect(artifactText(await reply(await again, 'yes'))).toBe('Ann');
  });

  test('a message that came after the end of a sleep comes after it in a replay', async () => {
    const node = await harness(
      async ({ ask, sleep, inbox, artifact }) => {
        const heard = (async (): Promise<string> => {
          for await (const { text } of inbox) return text;
          return 'nothing';
        })();
        const first = await Promise.race([heard, sleep(10_000).then(() => 'slept')]);
        await artifact('log').append(first);
        await heard;
        await ask('Go on?');
        return first;
      },
      { variant },
    );
    const early = await node.task('go', { returnImmediately: true });
    await until(async () => {
      node.clock.advance(1000);
      return artifactText(await node.engine.get(ANN, early.id), 'log') === 'slept';
    });
    const again = await node.reply(early, 'hello');
    expect(statusText(again)).toBe('Go on?');
    const { reply } = await node.crash();
    expect(artifactText(await reply(again, 'yes'))).toBe('slept');
  });

  test('a sleep that ended before an answer ends before it in a replay', async () => {
    const node = await harness(
      async ({ ask, sleep, artifact }) => {
        const first = await Promise.race([ask('Who?'), sleep(60_000).then(() => 'nobody')]);
        await artifact('log').append(first);
        await ask('Go on?');
        return first;
      },
      { variant },
    );
    const asked = await node.task('go');
    await until(async () => {
      node.clock.advance(1000);
      return artifactText(await node.engine.get(ANN, asked.id), 'log') === 'nobody';
    });
    const again = await node.reply(asked, 'Ann');
    expect(statusText(again)).toBe('Go on?');
    const { reply } = await node.crash();
    const done = await reply(again, 'yes');
    expect(artifactText(done)).toBe('nobody');
    expect(artifactText(done, 'log')).toBe('nobody');
  });

  test('a sleep that ended before a step ends before it in a replay', async () => {
    const gate = deferred<string>();
    const node = await harness(
      async ({ ask, sleep, step, artifact }) => {
        const work = step('slow', () => gate.promise);
        const first = await Promise.race([work, sleep(10_000).then(() => 'timeout')]);
        await artifact('log').append(first);
        await work;
        await ask('Go on?');
        return first;
      },
      { variant },
    );
    const { id } = await node.task('go', { returnImmediately: true });
    await until(async () => {
      node.clock.advance(1000);
      return artifactText(await node.engine.get(ANN, id), 'log') === 'timeout';
    });
    gate.resolve('result');
    await untilAsked(node, id, 'Go on?');
    const { reply, engine } = await node.crash();
    expect(artifactText(await reply(await engine.get(ANN, id), 'yes'))).toBe('timeout');
  });

  test('steps that ended in another order than they started end in that order in a replay', async () => {
    const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
    const node = await harness(
      async ({ ask, step, artifact }) => {
        const work = async (gate: Promise<void>, i: number): Promise<void> => {
          await step(`step ${i}`, () => gate);
          await artifact('log').append(`${i} `);
        };
        await Promise.all(gates.map(({ promise }, i) => work(promise, i)));
        await ask('Go on?');
      },
      { variant },
    );
    const { id } = await node.task('go', { returnImmediately: true });
    let log = '';
    for (const i of [2, 0, 1]) {
      gates[i]?.resolve();
      log += `${i} `;
      await until(async () => artifactText(await node.engine.get(ANN, id), 'log') === log);
    }
    await untilAsked(node, id, 'Go on?');
    const events = (await node.store.read(ANN, id))?.record.lastEvent ?? 0;
    const { reply, engine, store } = await node.crash();
    const done = await reply(await engine.get(ANN, id), 'yes');
    expect(artifactText(done, 'log')).toBe('2 0 1 ');
    // One event for the answer and one for the end: nothing had to be corrected.
    expect((await store.read(ANN, id))?.record.lastEvent).toBe(events + 2);
  });
});
