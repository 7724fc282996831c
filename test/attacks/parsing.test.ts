/** One caller within the default limits tries to keep the process busy with bodies that are hard to parse. */
import { expect, test } from 'vitest';
import { call } from './calls.ts';
import { victims, whileBobCalls } from './victim.ts';

const start = victims();

const BODIES: readonly (readonly [string, string])[] = [
  ['nested lists', '['.repeat(8_000_000)],
  ['nested objects', '{"a":'.repeat(1_600_000)],
  ['an id of nested lists', `{"jsonrpc":"2.0","method":"ListTasks","id":${'['.repeat(8_000_000)}`],
  ['empty objects', `[${'{},'.repeat(2_600_000)}{}]`],
  ['members', `{${Array.from({ length: 600_000 }, (_, i) => `"k${i}":1`).join()}}`],
];

test.each(['/a2a', '/message:send'])(
  '%s rejects deeply nested and many-membered bodies of 8 MB before it parses them',
  async (path) => {
    const victim = await start({ heapMb: 160 });
    const before = await victim.condition();

    await whileBobCalls(victim, async (bob) => {
      do {
        for (const [shape, body] of BODIES) {
          const { text } = await call(victim.port, 'alice', { method: 'POST', path, body });
          expect([shape, /The body (nests deeper|has more) than/.exec(text)?.[0]]).toEqual([shape, expect.any(String)]);
        }
      } while (!bob.isServed);
    });

    const { cpuMs } = await victim.condition();
    // The parser alone took five seconds for these.
    expect(cpuMs - before.cpuMs).toBeLessThan(2500);
  },
);
