import { expect, test } from 'vitest';
import { Check } from './check.ts';
import { count, defaultsOf, duration, flag, group, pickOptions, readTable, requiredText, word } from './options.ts';

const RETRIES = { most: count({ byDefault: 3 }), pauseMs: duration({ least: 0 }) };
const TABLE = {
  name: requiredText('Ann'),
  loud: flag(false),
  mood: word('calm', 'wild'),
  retries: group(RETRIES, '{}'),
};

function faultsOf(given: Readonly<Record<string, unknown>>): string {
  const check = new Check();
  readTable(check, given, TABLE);
  try {
    check.finish('');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('readTable() applies the defaults, also in groups, and rounds times', () => {
  const settings = readTable(new Check(), { name: 'Bo', loud: undefined, retries: { pauseMs: 1.6 } }, TABLE);
  expect(settings).toEqual({ name: 'Bo', loud: false, mood: 'calm', retries: { most: 3, pauseMs: 2 } });
  expect(readTable(new Check(), { name: 'Bo' }, TABLE).retries).toEqual({ most: 3 });
});

test('readTable() reports missing, unknown and wrong options with their paths', () => {
  const faults = faultsOf({ lout: true, mood: 'sad', retries: { most: 0, pause: 1 } });
  expect(faults.split('\n').slice(1)).toEqual([
    '  - lout: is not an option; did you mean loud?',
    '  - name: is required: pass a string such as "Ann"',
    '  - mood: expected "calm" or "wild", got "sad"',
    '  - retries.pause: is not an option; did you mean pauseMs?',
    '  - retries.most: expected a whole number >= 1, got 0',
  ]);
});

test('defaultsOf() and pickOptions() leave out options that are not set', () => {
  expect(Object.entries(defaultsOf(RETRIES))).toEqual([['most', 3]]);
  const settings = { ...readTable(new Check(), {}, RETRIES), other: 1 };
  expect(Object.entries(pickOptions(settings, RETRIES))).toEqual([['most', 3]]);
});
