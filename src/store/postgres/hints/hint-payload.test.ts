import { expect, test } from 'vitest';
import type { TaskProgress } from '../../store.ts';
import { type Change, decodeHint, encodeHint } from './hint-payload.ts';

/** The limit of PostgreSQL. */
const MAX_BYTES = 7999;

function progress(body: string, more: Partial<TaskProgress> = {}): TaskProgress {
  const events = [{ number: 7, kind: 'artifact', body } as const];
  return { lastEvent: 7, status: { state: 'TASK_STATE_WORKING' }, events, ...more };
}

function change(taskId: string, more: Partial<Change> = {}): Change {
  return { taskId, by: 'node', isClaimable: false, progress: undefined, callsDue: false, ...more };
}

/** Decodes a payload including the progress. */
function read(payload: string): readonly Change[] {
  return decodeHint(payload).map((hint) => ({ ...hint, progress: hint.progress() }));
}

test('a hint contains for each task whether any node may run it, its progress, and whether calls are due', () => {
  const ended = progress('"é\n"', { endedAt: 5, status: { state: 'TASK_STATE_COMPLETED' } });
  const changes = [
    change('a', { progress: ended }),
    change('b', { isClaimable: true, progress: progress('x') }),
    change('gone', { callsDue: true }),
  ];
  const payload = encodeHint('sender', 'node', changes);

  expect(payload.startsWith('["sender",')).toBe(true);
  expect(read(payload)).toEqual([
    { taskId: 'b', by: 'node', isClaimable: true, progress: progress('x'), callsDue: false },
    { taskId: 'a', by: 'node', isClaimable: false, progress: ended, callsDue: false },
    { taskId: 'gone', by: 'node', isClaimable: false, progress: undefined, callsDue: true },
  ]);
});

test('a hint contains only the state of a status', () => {
  const status = { state: 'TASK_STATE_WORKING', message: 'long' } as const;
  const [hint] = read(encodeHint('s', null, [change('a', { progress: progress('x', { status }) })]));
  expect(hint).toMatchObject({ by: undefined, progress: { status: { state: 'TASK_STATE_WORKING' } } });
  expect(JSON.stringify(hint)).not.toContain('long');
});

test.each([
  ['letters', 'x', 4000],
  ['characters of three bytes', '€', 1000],
  ['characters that take more bytes in other encodings', 'é', 1800],
  ['characters that JSON escapes', '"', 1500],
])('a progress that is too long because of %s is omitted, and later ones are not', (_, letter, length) => {
  const changes = [
    change('first', { progress: progress(letter.repeat(length)) }),
    change('too long', { progress: progress(letter.repeat(length)) }),
    change('last', { progress: progress('x') }),
  ];
  const payload = encodeHint('sender', 'node', changes);

  // In EUC_JP that character takes three bytes, in UTF-8 two.
  expect(Buffer.byteLength(payload.replaceAll('é', '€'))).toBeLessThanOrEqual(MAX_BYTES);
  expect(read(payload).map((hint) => hint.progress !== undefined)).toEqual([true, false, true]);
});

test('a hint with the maximum number of tasks fits into a notification', () => {
  const changes = Array.from({ length: 50 }, (_, i) => change(`${i}`.padStart(36, '0'), { progress: progress('x') }));
  const payload = encodeHint('sender', 'node', changes);
  expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(MAX_BYTES);
  expect(read(payload)).toHaveLength(50);
});

test('a hint is empty if there is no room for its ids', () => {
  expect(encodeHint('sender', 'node', [change('x'.repeat(9000))])).toBe('');
});

test.each(['', 'x', '[]\n', '["s",null,[]]\n[]', '{"a":1}\n[]', '\n\n', 'null\nnull', '["s",null,1,2]\n[]'])(
  '%j is decoded as no hints',
  (payload) => expect(decodeHint(payload)).toEqual([]),
);

test('a truncated hint still contains the ids of its tasks', () => {
  expect(read('["s",null,[],["a"]]\n[{"lastEv')).toEqual([
    { taskId: 'a', by: undefined, isClaimable: false, progress: undefined, callsDue: false },
  ]);
});
