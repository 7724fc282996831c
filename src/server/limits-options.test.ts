import { expect, test } from 'vitest';
import { Check } from './check.ts';
import { readLimits } from './limits-options.ts';
import { DEFAULT_LIMITS } from './limits/limit-settings.ts';

function faults(limits: unknown): readonly string[] {
  const check = new Check();
  readLimits(check, limits);
  try {
    check.finish('');
    return [];
  } catch (error) {
    return (error as Error).message.split('\n  - ').slice(1);
  }
}

test('whatever is wrong is told at once, each with its place', () => {
  const limits = {
    rates: { perMinute: 5 },
    maxBodyBytes: 5,
    rate: { perMinute: 0, burst: 1.5, perHour: 7 },
    failedLogins: true,
    streamsPerCaller: -1,
    partsPerMessage: 0,
    textCharacters: '7',
    depth: 65,
    pageSize: 101,
  };

  expect(faults(limits)).toEqual([
    'limits.rates: is not an option; did you mean rate?',
    'limits.maxBodyBytes: is not an option; it stands beside limits',
    'limits.rate.perHour: is not an option; known are perMinute, burst',
    'limits.rate.perMinute: must be a number above 0, not 0',
    'limits.rate.burst: must be a whole number, 1 or more, not 1.5',
    'limits.failedLogins: must be false or an object like { perMinute: 600, burst: 100 }, not true',
    'limits.streamsPerCaller: must be a whole number, 0 or more, not -1',
    'limits.partsPerMessage: must be a whole number, 1 or more, not 0',
    'limits.textCharacters: must be a whole number, 1 or more, not a text',
    'limits.depth: must be a whole number from 1 to 64, not 65',
    'limits.pageSize: must be a whole number from 1 to 100, not 101',
  ]);
  expect(faults(7)).toEqual(['limits: must be an object like { partsPerMessage: 100 }, not 7']);
});

test('what is given is taken, the rest has its default, and it is known which is which', () => {
  const rate = { perMinute: 0.5, burst: 1 };
  const limits = { rate, failedLogins: false, fileBytes: 0, depth: undefined };

  expect(faults(limits)).toEqual([]);
  expect(readLimits(new Check(), limits)).toEqual({
    ...DEFAULT_LIMITS,
    rate,
    failedLogins: false,
    fileBytes: 0,
    given: new Set(['rate', 'failedLogins', 'fileBytes']),
  });
});
