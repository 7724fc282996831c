import { expect, test } from 'vitest';
import type { TaskProgress } from '../store.ts';
import { type Change, decodeHint, encodeHint } from './hint-payload.ts';

/** What PostgreSQL takes. */
const MAX_BYTES = 7999;

function progress(body: string, more: Partial<TaskProgress> = {}): TaskProgress {
  const events = [{ number: 7, kind: 'artifact', body } as const];
  return { lastEvent: 7, status: { state: 'TASK_STATE_WORKING' }, events, ...more };
}

function change(taskId: string, more: Partial<Change> = {}): Change {
  return { taskId, by: 'node', isLeft: false, progress: undefined, ...more };
}

/** With what it says, asked for. */
function read(payload: string): readonly Change[] {
  return decodeHint(payload).map((hint) => ({ ...hint, progress: hint.progress() }));
}

test('a hint says of each task whether it is left, and how far it has come', () => {
  const ended = progress('"é\n"', { endedAt: 5, status: { state: 'TASK_STATE_COMPLETED' } });
  const changes = [
    change('a', { progress: ended }),
    change('b', { isLeft: true, progress: progress('x') }),
    change('gone'),
  ];
  const payload = encodeHint('sender', 'node', changes);

  expect(payload.startsWith('["sender",')).toBe(true);
  expect(read(payload)).toEqual([
    { taskId: 'b', by: 'node', isLeft: true, progress: progress('x') },
    { taskId: 'a', by: 'node', isLeft: false, progress: ended },
    { taskId: 'gone', by: 'node', isLeft: false, progress: undefined },
  ]);
});

test('a hint says nothing of a status but its state', () => {
  const status = { state: 'TASK_STATE_WORKING', message: 'long' } as const;
  const [hint] = read(encodeHint('s', null, [change('a', { progress: progress('x', { status }) })]));
  expect(hint).toMatchObject({ by: undefined, progress: { status: { state: 'TASK_STATE_WORKING' } } });
  expect(JSON.stringify(hint)).not.toContain('long');
});

test.each([
  ['letters', 'x', 4000],
  ['characters of three bytes', '€', 1000],
  ['characters that take more elsewhere', 'é', 1800],
  ['characters that JSON writes at length', '"', 1500],
])('what is too long, of %s, is left out, and those after it are not', (_, letter, length) => {
  const changes = [
    change('first', { progress: progress(letter.repeat(length)) }),
    change('too long', { progress: progress(letter.repeat(length)) }),
    change('last', { progress: progress('x') }),
  ];
  const payload = encodeHint('sender', 'node', changes);

  // In EUC_JP that character takes three bytes, and two here.
  expect(Buffer.byteLength(payload.replaceAll('é', '€'))).toBeLessThanOrEqual(MAX_BYTES);
  expect(read(payload).map((hint) => hint.progress !== undefined)).toEqual([true, false, true]);
});

test('as many tasks as there may be leave room for the limit of the database', () => {
  const changes = Array.from({ length: 50 }, (_, i) => change(`${i}`.padStart(36, '0'), { progress: progress('x') }));
  const payload = encodeHint('sender', 'node', changes);
  expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(MAX_BYTES);
  expect(read(payload)).toHaveLength(50);
});

test('ids for which there is no room are not told at all', () => {
  expect(encodeHint('sender', 'node', [change('x'.repeat(9000))])).toBe('');
});

test.each(['', 'x', '[]\n', '["s",null,[]]\n[]', '{"a":1}\n[]', '\n\n', 'null\nnull', '["s",null,1,2]\n[]'])(
  'what is no hint, as %j, tells of nothing',
  (payload) => expect(decodeHint(payload)).toEqual([]),
);

test('a hint that was cut off still says whose it is', () => {
  expect(read('["s",null,[],["a"]]\n[{"lastEv')).toEqual([
    { taskId: 'a', by: undefined, isLeft: false, progress: undefined },
  ]);
});
