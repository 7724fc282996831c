import { expect, test } from 'vitest';
import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { JournalRecord } from '../../store/store.ts';
import { Journal } from './journal.ts';

const said = (messageId: string): Message => ({ messageId, role: 'ROLE_USER', parts: [] });
const json = (value: unknown): JsonValue => value as JsonValue;

/** Numbers the entries as a store does. */
function records(...entries: readonly (readonly [kind: string, key: string, body?: unknown])[]): JournalRecord[] {
  return entries.map(([kind, key, body = {}], i) => ({ kind, key, body: json(body), number: i + 1 }));
}

const unread = (journal: Journal, upTo?: number): string[] =>
  journal.unread(upTo).map(({ message }) => message.messageId);

test('a new task has an empty journal', () => {
  const journal = new Journal();
  expect(journal).toMatchObject({ turn: 0, trigger: undefined, hasBegun: false });
  expect(journal.find('step', 'a#1')).toBeUndefined();
  expect(unread(journal)).toEqual([]);
});

test('entries are found by kind and key', () => {
  const journal = new Journal(records(['step', 'a#1', { value: 1 }], ['answer', 'a#1', { value: 2 }]));
  expect(journal.find('step', 'a#1')).toEqual({ value: 1 });
  expect(journal.find('answer', 'a#1')).toEqual({ value: 2 });
  expect(journal.numberOf('answer', 'a#1')).toBe(2);
  expect(journal.hasBegun).toBe(true);
});

test('each turn has its own entries', () => {
  const turn = { message: said('t'), after: 5 };
  const journal = new Journal(
    records(['step', 'a#1', { value: 1 }], ['turn', '1', turn], ['step', 'b#1', { value: 2 }], ['turn', '2', turn]),
  );
  expect(journal.turn).toBe(2);
  expect(journal.trigger).toEqual(turn);
  expect(journal.find('step', 'a#1')).toBeUndefined();
  expect(journal.find('step', 'b#1')).toBeUndefined();
  expect(journal.hasBegun).toBe(false);
});

test('a message alone is not the beginning of a run', () => {
  expect(new Journal(records(['message', 'm1', said('m1')])).hasBegun).toBe(false);
});

test('messages are unread until they are read, over all turns', () => {
  const journal = new Journal(
    records(
      ['message', 'm1', said('m1')],
      ['read', '1', { upTo: 1 }],
      ['message', 'm2', said('m2')],
      ['turn', '1', { message: said('t'), after: 3 }],
      ['message', 'm3', said('m3')],
    ),
  );
  expect(unread(journal)).toEqual(['m2', 'm3']);
  expect(unread(journal, 3)).toEqual(['m2']);
  journal.markRead(3);
  expect(unread(journal)).toEqual(['m3']);
  journal.markRead(1);
  expect(unread(journal)).toEqual(['m3']);
});

test('a replay reads the messages again that this turn has read', () => {
  const journal = new Journal(records(['message', 'm1', said('m1')], ['read', '1', { upTo: 1 }]));
  expect(unread(journal)).toEqual(['m1']);
  expect(journal.find('read', '1')).toEqual({ upTo: 1 });
});

test('entries that were written from outside are applied once', () => {
  const start = records(['question', 'q1'], ['message', 'm1', said('m1')]);
  const journal = new Journal(start);
  const more = [
    ...start,
    ...records(
      ['x', ''],
      ['x', ''],
      ['answer', 'q1', { value: 1, said: said('a') }],
      ['message', 'm2', said('m2')],
    ).slice(2),
  ];
  expect(journal.catchUp(more).map(({ messageId }) => messageId)).toEqual(['a', 'm2']);
  expect(journal.find('answer', 'q1')).toMatchObject({ value: 1 });
  expect(unread(journal)).toEqual(['m1', 'm2']);
  expect(journal.catchUp(more)).toEqual([]);
  expect(unread(journal)).toEqual(['m1', 'm2']);
});
