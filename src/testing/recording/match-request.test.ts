import { expect, test } from 'vitest';
import type { RecordedRequest } from './recording.ts';
import { RequestMatch } from './match-request.ts';

const request = (text: string): RecordedRequest => ({ method: 'POST', path: '/', text });

function unify(
  recorded: string,
  asked: string,
  known: Readonly<Record<string, string>> = {},
): RequestMatch | undefined {
  const unification = new RequestMatch(new Map(Object.entries(known)), 'http://agent');
  return unification.request(request(recorded), request(asked)) ? unification : undefined;
}

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['{{task-1}}', 'abc', { 'task-1': 'abc' }],
  ['task {{task-1}}, context {{context-1}}!', 'task abc, context def!', { 'task-1': 'abc', 'context-1': 'def' }],
  ['{{agent}}/{{task-1}}/x', 'http://agent/abc/x', { 'task-1': 'abc' }],
  ['{{id-1}}, {{id-2}}, {{id-3}}', 'a, b, c, d', { 'id-1': 'a', 'id-2': 'b', 'id-3': 'c, d' }],
])('the placeholders in %s are bound by %s', (recorded, asked, placeholders) => {
  expect(Object.fromEntries(unify(recorded, asked)?.placeholders ?? [])).toMatchObject(placeholders);
});

test.each([
  ['task {{task-1}}', 'task '],
  ['task {{task-1}}', 'a task abc'],
  ['{{task-1}} ends', 'abc ends.'],
  ['{{agent}}', 'http://agents'],
  ['{{id-1}}-{{id-2}}', 'abc'],
  ['{{id-1}} and {{id-2}} and', 'a and'],
])('%s does not match %s', (recorded, asked) => {
  expect(unify(recorded, asked)).toBeUndefined();
});

test('two placeholders cannot have the same value', () => {
  expect(unify('{{id-2}}', 'abc', { 'id-1': 'abc' })).toBeUndefined();
});

test('a long text that does not match many placeholders is rejected in linear time', () => {
  // Trying 40 names at 200,000 positions each would never finish.
  const recorded = Array.from({ length: 40 }, (_, i) => `{{id-${i}}} `).join('');
  expect(unify(`${recorded}!`, 'a '.repeat(200_000))).toBeUndefined();
});
