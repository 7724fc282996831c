import { expect, test } from 'vitest';
import { Check } from '../../support/check.ts';
import { DEFAULT_LIMITS, readLimits } from './limit-settings.ts';

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

test('readLimits() reports every problem at once, with its path', () => {
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
    'limits.maxBodyBytes: is not an option; it is an option next to limits',
    'limits.rate.perHour: is not an option; known options: perMinute, burst',
    'limits.rate.perMinute: expected a number above 0, got 0',
    'limits.rate.burst: expected a whole number >= 1, got 1.5',
    'limits.failedLogins: expected false or an object such as { perMinute: 600, burst: 100 }, got true',
    'limits.streamsPerCaller: expected a whole number >= 0, got -1',
    'limits.partsPerMessage: expected a whole number >= 1, got 0',
    'limits.textCharacters: expected a whole number >= 1, got a string',
    'limits.depth: expected a whole number from 1 to 64, got 65',
    'limits.pageSize: expected a whole number from 1 to 100, got 101',
  ]);
  expect(faults(7)).toEqual(['limits: expected an object such as { partsPerMessage: 100 }, got 7']);
});

test('configured limits override the defaults, and `given` lists them', () => {
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
