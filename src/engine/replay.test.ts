import { expect, test } from 'vitest';
import type { TaskArtifactUpdateEvent } from '../model/event.ts';
import type { TaskState } from '../model/state.ts';
import type { NewEvent, TaskEvent } from '../store/store.ts';
import { artifactEvent, statusEvent } from './event-body.ts';
import { Replay } from './replay.ts';

const ids = { taskId: 't', contextId: 'c' };
const task = { id: 't', contextId: 'c', origin: {} };

function update(artifactId: string, text: string, append = true): TaskArtifactUpdateEvent {
  return { ...ids, artifact: { artifactId, parts: [{ text }] }, ...(append && { append }) };
}

function status(text?: string, state: TaskState = 'TASK_STATE_WORKING'): NewEvent {
  const message = { messageId: `m${text}`, role: 'ROLE_AGENT' as const, parts: [{ text: text ?? '' }] };
  return statusEvent(task, { state, timestamp: 'now', ...(text !== undefined && { message }) });
}

const log = (...events: readonly NewEvent[]): TaskEvent[] => events.map((event, i) => ({ ...event, number: i + 1 }));
const say = (replay: Replay, given: TaskArtifactUpdateEvent): string =>
  replay.artifact(given, artifactEvent(given).body);

test('what the log has is known, then all is new', () => {
  const replay = new Replay([], log(artifactEvent(update('a', '1')), artifactEvent(update('a', '2'))));
  const verdicts = ['1', '2', '3', '2'].map((text) => say(replay, update('a', text)));
  expect(verdicts).toEqual(['known', 'known', 'new', 'new']);
  expect(replay.cutShort()).toEqual([]);
});

test('an artifact that is different is given as this attempt has it', () => {
  const replay = new Replay([], log(artifactEvent(update('a', '1')), artifactEvent(update('a', '2'))));
  expect(say(replay, update('a', '1'))).toBe('known');
  expect(say(replay, update('a', 'x'))).toBe('different');
  expect(replay.settle('a')).toEqual({ artifactId: 'a', parts: [{ text: '1' }, { text: 'x' }] });
  expect(say(replay, update('a', '2'))).toBe('new');
  expect(replay.cutShort()).toEqual([]);
});

test('a piece that replaces is not the same as one that adds', () => {
  const replay = new Replay([], log(artifactEvent(update('a', '1'))));
  expect(say(replay, update('a', '1', false))).toBe('different');
});

test('artifacts do not wait for each other', () => {
  const replay = new Replay([], log(artifactEvent(update('a', '1')), artifactEvent(update('b', '1'))));
  expect(['b', 'c', 'a'].map((name) => say(replay, update(name, '1')))).toEqual(['known', 'new', 'known']);
});

test('an attempt that says less is cut short, one that says nothing of it is not', () => {
  const events = ['a', 'a', 'b'].map((name) => artifactEvent(update(name, '1')));
  const replay = new Replay([], log(...events));
  say(replay, update('a', '1'));
  expect(replay.cutShort()).toEqual([{ artifactId: 'a', parts: [{ text: '1' }] }]);
  expect(replay.cutShort()).toEqual([]);
});

test('a turn begins with the artifacts that were there', () => {
  const before = [{ artifactId: 'a', parts: [{ text: 'old' }] }];
  const replay = new Replay(before, log(artifactEvent(update('a', '1'))));
  expect(say(replay, update('a', 'x'))).toBe('different');
  expect(replay.settle('a')?.parts).toEqual([{ text: 'old' }, { text: 'x' }]);
});

test('words are compared without their time and ids, and only those of the handler', () => {
  const replay = new Replay(
    [],
    log(status(), status('one'), status('Who?', 'TASK_STATE_INPUT_REQUIRED'), status(), status('two')),
  );
  const verdicts = ['one', 'two', 'three'].map((text) => replay.status([{ text }], undefined));
  expect(verdicts).toEqual(['known', 'known', 'new']);
});

test('after a difference in the words all is new', () => {
  const replay = new Replay([], log(status('one'), status('two'), status('three')));
  const verdicts = ['one', 'other', 'three'].map((text) => replay.status([{ text }], undefined));
  expect(verdicts).toEqual(['known', 'different', 'new']);
  expect(new Replay([], log(status('one'))).status([{ text: 'one' }], { a: 1 })).toBe('different');
});
