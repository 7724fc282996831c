import { expect, test } from 'vitest';
import { ArtifactFold } from '../../model/artifact-fold.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { TaskState } from '../../model/state.ts';
import type { JournalEntry, NewEvent, TaskEvent } from '../../store/store.ts';
import { artifactEvent, statusEvent } from '../replay/event-body.ts';
import { Journal } from '../replay/journal.ts';
import { PublishedOutputs, statusContent } from './published-outputs.ts';
import { addPlace, placesIn, rangesOf, type StepRecord } from './step-outputs.ts';

const ids = { taskId: 't', contextId: 'c' };
const task = { id: 't', contextId: 'c', origin: {} };

function update(artifactId: string, text: string, append = true): TaskArtifactUpdateEvent {
  return { ...ids, artifact: { artifactId, parts: [{ text }] }, ...(append && { append }) };
}

function status(text?: string, state: TaskState = 'TASK_STATE_WORKING'): NewEvent {
  const message = { messageId: `m${text}`, role: 'ROLE_AGENT' as const, parts: [{ text: text ?? '' }] };
  return statusEvent(task, { state, timestamp: 'now', ...(text !== undefined && { message }) });
}

const chunks = (name: string, ...texts: string[]): NewEvent[] => texts.map((text) => artifactEvent(update(name, text)));

interface Past {
  readonly before?: readonly Artifact[];
  readonly steps?: Readonly<Record<string, StepRecord>>;
}

/** An attempt that begins after the events of another one. */
function replay(events: readonly NewEvent[], { before = [], steps = {} }: Past = {}): PublishedOutputs {
  const log = events.map((event, i): TaskEvent => ({ ...event, number: i + 1 }));
  const entries = Object.entries(steps).map(([key, body]): JournalEntry => ({
    kind: 'step',
    key,
    body: body as never,
  }));
  const journal = new Journal(entries.map((entry, i) => ({ ...entry, number: i + 1 })));
  return PublishedOutputs.fromLog(new ArtifactFold(), before, log, journal, task);
}

const emit = (published: PublishedOutputs, given: TaskArtifactUpdateEvent): string =>
  published.compareArtifact(given, artifactEvent(given).body, given.append === true, undefined);

const say = (published: PublishedOutputs, text: string, metadata?: { a: number }): unknown =>
  published.compareStatus(() => statusContent([{ text }], metadata), undefined);

const correct = (published: PublishedOutputs, given: TaskArtifactUpdateEvent): unknown =>
  published.correctArtifact(given, artifactEvent(given).body, undefined)?.artifact;

test('outputs that the log has are known, then all are new', () => {
  const published = replay(chunks('a', '1', '2'));
  expect(['1', '2', '3', '2'].map((text) => emit(published, update('a', text)))).toEqual([
    'known',
    'known',
    'new',
    'new',
  ]);
  expect(published.shorten()).toEqual([]);
});

test('a chunk that is not the expected one takes the place of all that is expected', () => {
  const published = replay(chunks('a', '1', '2', '3'));
  expect(emit(published, update('a', '1'))).toBe('known');
  expect(emit(published, update('a', 'x'))).toBe('different');
  expect(correct(published, update('a', 'x'))).toEqual({ artifactId: 'a', parts: [{ text: '1x' }] });
  expect(emit(published, update('a', '2'))).toBe('new');
  expect(published.shorten()).toEqual([]);
});

test('a chunk that replaces is not the same as one that adds', () => {
  const before = [{ artifactId: 'a', parts: [{ text: '0' }] }];
  expect(emit(replay(chunks('a', '1'), { before }), update('a', '1', false))).toBe('different');
});

test('the first chunk of an artifact is known whether or not it is emitted as an addition', () => {
  const first = [artifactEvent(update('a', '1', false))];
  expect(emit(replay(first), update('a', '1', true))).toBe('known');
  expect(emit(replay(first), update('a', '1', false))).toBe('known');
});

test('artifacts are compared each by itself', () => {
  const published = replay([...chunks('a', '1'), ...chunks('b', '1')]);
  expect(['b', 'c', 'a'].map((name) => emit(published, update(name, '1')))).toEqual(['known', 'new', 'known']);
});

test('an artifact that is emitted in part is shortened, one that is not emitted at all is not', () => {
  const published = replay([...chunks('a', '1', '1'), ...chunks('b', '1')]);
  emit(published, update('a', '1'));
  expect(published.shorten().map(({ artifact }) => artifact)).toEqual([{ artifactId: 'a', parts: [{ text: '1' }] }]);
  expect(published.shorten()).toEqual([]);
});

test('a correction begins with the artifact of the turn before', () => {
  const published = replay(chunks('a', '1'), { before: [{ artifactId: 'a', parts: [{ text: 'old' }] }] });
  expect(emit(published, update('a', 'x'))).toBe('different');
  expect(correct(published, update('a', 'x'))).toEqual({ artifactId: 'a', parts: [{ text: 'oldx' }] });
});

test('outputs of a recorded step are not expected, and part of every correction', () => {
  const steps = { 's#1': { outputs: { own: { artifacts: [2, 2] } } } };
  const events = chunks('a', 'before', 'in', 'after');
  const same = replay(events, { steps });
  expect(['before', 'after', 'in'].map((text) => emit(same, update('a', text)))).toEqual(['known', 'known', 'new']);
  const other = replay(events, { steps });
  expect(emit(other, update('a', 'x'))).toBe('different');
  expect(correct(other, update('a', 'x'))).toMatchObject({ parts: [{ text: 'xin' }] });
});

test('outputs beside a recorded step are known once, from its call until no step is in flight', () => {
  const record: StepRecord = { outputs: { loose: { artifacts: [1, 2], statuses: [1, 1] } } };
  const published = replay([...chunks('a', 'x', 'x'), status('s')], { steps: { 's#1': record } });
  published.recallStep(record.outputs);
  expect([emit(published, update('a', 'x')), say(published, 's'), say(published, 's')]).toEqual([
    'known',
    'known',
    'new',
  ]);
  published.endStep();
  expect([emit(published, update('a', 'x')), say(published, 's')]).toEqual(['new', 'new']);
});

test('outputs that come again from the result of a step are expected, wherever they come', () => {
  const record: StepRecord = { outputs: { again: { artifacts: [1, 2], statuses: [1, 1] } } };
  const events = [...chunks('a', 'x', 'x', 'y'), status('s')];
  const published = replay(events, { steps: { 's#1': record } });
  published.recallStep(record.outputs);
  published.endStep();
  expect(['x', 'x', 'y', 'x'].map((text) => emit(published, update('a', text)))).toEqual([
    'known',
    'known',
    'known',
    'new',
  ]);
  expect([say(published, 's'), say(published, 's')]).toEqual(['known', 'new']);
  const other = replay(events, { steps: { 's#1': record } });
  expect(emit(other, update('a', 'z'))).toBe('different');
  expect(correct(other, update('a', 'z'))).toMatchObject({ parts: [{ text: 'z' }] });
});

test('outputs that come again or belong to a step stay if they do not come again', () => {
  const outputs = { loose: { artifacts: [1, 3] }, again: { artifacts: [1, 2] } };
  const events = chunks('a', 'tool', 'text', 'tool', 'end');
  const same = replay(events, { steps: { 's#1': { outputs } } });
  same.recallStep(outputs);
  same.endStep();
  expect(['text', 'end', 'tool'].map((text) => emit(same, update('a', text)))).toEqual(['known', 'known', 'new']);
  expect(same.shorten()).toEqual([]);
  const other = replay(events, { steps: { 's#1': { outputs } } });
  other.recallStep(outputs);
  expect(emit(other, update('a', 'x'))).toBe('different');
  expect(correct(other, update('a', 'x'))).toMatchObject({ parts: [{ text: 'tooltexttoolx' }] });
  const partial = replay(chunks('a', 'tool', 'text'), { steps: { 's#1': { outputs } } });
  expect(['text', 'x'].map((text) => emit(partial, update('a', text)))).toEqual(['known', 'new']);
  expect(partial.shorten()).toEqual([]);
});

test('a step records which outputs beside it come again', () => {
  const places = (repeats?: 'all' | 'yields') => {
    const published = new PublishedOutputs(new ArtifactFold());
    const step = published.beginStep(false, repeats);
    published.addArtifact(update('a', '1'), '', undefined);
    published.addArtifact(update('a', '2'), '', 'yield');
    published.addArtifact(update('a', '3'), '', step);
    return published.recordOf(step);
  };
  const own = { artifacts: [3, 3] };
  const both = { artifacts: [1, 2] };
  expect(places()).toEqual({ own, loose: both });
  expect(places('all')).toEqual({ own, again: both });
  expect(places('yields')).toEqual({ own, loose: both, again: { artifacts: [2, 2] } });
});

test('statuses are compared without their time and ids, and only those of the handler', () => {
  const events = [status(), status('one'), status('Who?', 'TASK_STATE_INPUT_REQUIRED'), status(), status('two')];
  const published = replay(events);
  expect(['one', 'two', 'three'].map((text) => say(published, text))).toEqual(['known', 'known', 'new']);
});

test('after a status that is not the expected one, all are new', () => {
  const published = replay([status('one'), status('two'), status('three')]);
  expect(['one', 'other', 'three'].map((text) => say(published, text))).toEqual(['known', [2, 3], 'new']);
  expect(say(replay([status('one')]), 'one', { a: 1 })).toEqual([1, 1]);
});

test('with a step whose outputs are unknown, what is not emitted again stays', () => {
  const published = replay(chunks('a', '1', 'unknown', '2'), { steps: { 's#1': { value: 1 } } });
  expect(published.isOutdated).toBe(true);
  expect(['1', '2', '3'].map((text) => emit(published, update('a', text)))).toEqual(['known', 'known', 'new']);
  expect(published.shorten()).toEqual([]);
});

test('places are kept as ranges', () => {
  const ranges: number[] = [];
  for (const place of [1, 2, 3, 7, 5, 6]) addPlace(ranges, place);
  expect(ranges).toEqual([1, 3, 7, 7, 5, 6]);
  expect([...placesIn(ranges)]).toEqual([1, 2, 3, 7, 5, 6]);
  expect(rangesOf([])).toEqual([]);
});
