import { expect, test } from 'vitest';
import { Gathering } from './write-coalescer.ts';

test('a writer that throws gets its error, and all others of the turn write', () => {
  const turns: (() => void)[] = [];
  const gathering = new Gathering({ soon: (run) => void turns.push(run) });
  const seen: string[] = [];
  const gatherer = (name: string, fails = false) => ({
    writeGathered: () => {
      if (fails) throw new Error('broken');
      seen.push(name);
    },
    fail: (error: unknown) => void seen.push(`${name}: ${String(error)}`),
  });
  for (const one of [gatherer('a'), gatherer('b', true), gatherer('c')]) gathering.add(one);
  turns.shift()?.();
  expect(seen).toEqual(['a', 'b: Error: broken', 'c']);
  gathering.add(gatherer('d'));
  turns.shift()?.();
  expect(seen.at(-1)).toBe('d');
});
