import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { type LossExample, READ_EXAMPLES, WRITE_EXAMPLES } from './loss-examples.ts';
import { lossTable } from './loss-table.ts';
import { compareRoundTrip, roundTrip, transmit } from './round-trip.ts';
import { modelSamples, WIRE_SAMPLES } from './samples.ts';
import { placesIn } from './shape.ts';
import { modelSubjects, populate, type Subject, wireSubjects } from './subjects.ts';
import { applyEvent } from '../../src/model/fold.ts';
import type { Task } from '../../src/model/task.ts';
import { decodeResult, type Dialect } from '../../src/wire/dialect.ts';
import { type Loss, LOSSES, type LossyDialect } from './losses.ts';
import { dialects } from '../../src/wire/select.ts';

vi.setConfig({ testTimeout: 60_000 });

type Direction = Loss['direction'];

function subjectsOf(dialect: LossyDialect, direction: Direction): readonly Subject[] {
  // The 1.0 format is the format of the model.
  return direction === 'write' || dialect === 'v1' ? modelSubjects(dialects[dialect]) : wireSubjects(dialects[dialect]);
}

/** All members of a dialect that could be lost, by operation and by type. */
function placesOf(dialect: LossyDialect, direction: Direction): ReadonlySet<string> {
  const subjects = subjectsOf(dialect, direction);
  return new Set(
    subjects.flatMap(({ root, spec, shape }) => [`${root.type}.${root.member}`, ...placesIn(spec, shape)]),
  );
}

/** Whether a dialect has the member at all. */
function canHave(dialect: LossyDialect, direction: Direction, member: string): boolean {
  return placesOf(dialect, direction).has(member.split('.', 2).join('.'));
}

/** One line for each loss in one dialect at one place. */
function keysOf(dialect: string, happened: readonly (readonly [Loss, string])[]): readonly string[] {
  return happened.map(([loss, pattern]) => `${LOSSES.indexOf(loss)} ${loss.direction} ${pattern} in ${dialect}`);
}

function show(example: LossExample, dialect: LossyDialect, direction: Direction): ReturnType<typeof compareRoundTrip> {
  const [type, member] = example.root;
  const subject = subjectsOf(dialect, direction).find(({ root }) => root.type === type && root.member === member);
  if (subject === undefined) throw new Error(`${dialect} has no ${type} ${member}`);
  const value = example.value(dialect);
  return compareRoundTrip(subject, direction, value, roundTrip(subject, direction, value), example.member);
}

const examples = [
  ...WRITE_EXAMPLES.map((example) => ['write', example] as const),
  ...READ_EXAMPLES.map((example) => ['read', example] as const),
].flatMap(([direction, example]) =>
  example.dialects.map((dialect) => [dialect, example.shows, direction, example] as const),
);

test.each(examples)('%s loses a listed member: %s', (dialect, _, direction, example) => {
  const { unlisted, happened } = show(example, dialect, direction);
  expect(unlisted).toEqual([]);
  expect(happened.map(([, member]) => member)).toContain(example.member);
});

test('every listed loss happens in each of its places and dialects', () => {
  const seen = new Set<string>();
  for (const dialect of Object.values<Dialect>(dialects)) {
    for (const subject of modelSubjects(dialect)) {
      for (const value of ['full', 'empty', 'bare'].flatMap((each) =>
        populate(subject, modelSamples(dialect), each as 'full'),
      )) {
        const { happened } = compareRoundTrip(subject, 'write', value, roundTrip(subject, 'write', value));
        for (const key of keysOf(subject.dialect, happened)) seen.add(key);
      }
    }
    for (const subject of wireSubjects(dialect)) {
      for (const json of populate(subject, WIRE_SAMPLES[dialect.name] ?? {})) {
        const back = roundTrip(subject, 'read', json, dialect.endsStream(json));
        for (const key of keysOf(subject.dialect, compareRoundTrip(subject, 'read', json, back).happened))
          seen.add(key);
      }
    }
  }
  for (const [dialect, , direction, example] of examples) {
    for (const key of keysOf(dialect, show(example, dialect, direction).happened)) seen.add(key);
  }
  const listed = LOSSES.flatMap((loss) =>
    loss.dialects.flatMap((dialect) => {
      const possible = loss.members.filter((member) => canHave(dialect, loss.direction, member));
      return keysOf(
        dialect,
        possible.map((member) => [loss, member] as const),
      );
    }),
  );
  expect(listed.filter((key) => !seen.has(key))).toEqual([]);
});

test('every listed loss is of a member that one of its dialects has', () => {
  const impossible = LOSSES.flatMap(({ dialects: names, direction, members }) =>
    members.filter((member) => !names.some((dialect) => canHave(dialect, direction, member))),
  );
  expect(impossible).toEqual([]);
});

test('v01 encodes a task in a stream as its status and its artifacts, and decodes them', () => {
  const subject = modelSubjects(dialects.v01).find(({ root }) => root.type === 'GetTask' && root.member === 'result');
  if (subject === undefined) throw new Error('0.1 has GetTask');
  for (const task of populate(subject, modelSamples(dialects.v01)) as unknown as readonly Task[]) {
    for (const closes of [false, true]) {
      const items = dialects.v01.createStreamEncoder().encode({ task }, closes);
      const events = items.map(
        (item) => decodeResult(dialects.v01, 'SubscribeToTask', transmit(item), { strict: true }).value,
      );
      const unknown: Task = { id: task.id, status: { state: 'TASK_STATE_UNSPECIFIED' } };
      const { status, artifacts = [] } = events.reduce(applyEvent, unknown);
      const { contextId: _, history: __, ...rest } = task;
      expect(compareRoundTrip(subject, 'write', rest, { ...rest, status, artifacts }).unlisted).toEqual([]);
    }
  }
});

test('docs/protocol-versions.md contains the table of losses', () => {
  const page = readFileSync(new URL('../../docs/protocol-versions.md', import.meta.url), 'utf8');
  expect(page).toContain(lossTable('write'));
  expect(page).toContain(lossTable('read'));
});
