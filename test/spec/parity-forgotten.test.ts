import { describe, expect, test, vi } from 'vitest';
import { forget } from './forget.ts';
import { judge, roundTrip } from './round-trip.ts';
import { modelSamples, WIRE_SAMPLES } from './samples.ts';
import { modelSubjects, populate, type Subject, wireSubjects } from './subjects.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Loss } from './losses.ts';
import { dialects } from '../../src/wire/select.ts';

vi.setConfig({ testTimeout: 60_000 });

/**
 * The parity tests are only as good as their eye for what is missing. So every member that a dialect keeps is once
 * forgotten, and the comparison must say so.
 */

/** The members that come back, but whose loss nobody would notice. */
function unnoticed(
  subject: Subject,
  direction: Loss['direction'],
  values: readonly JsonValue[],
  closes: Closes,
): readonly string[] {
  const trips = values.map((before) => {
    const after = roundTrip(subject, direction, before, closes(before));
    return { before, after, kept: judge(subject, direction, before, after).kept };
  });
  return [...new Set(trips.flatMap(({ kept }) => [...kept]))].filter((place) => {
    const path = new RegExp(`(^|\\.)${place.split('.').at(-1) ?? ''}(\\[\\d+\\])?[:.]`);
    const { before, after } = trips.find(({ kept }) => kept.has(place)) ?? {};
    const { unlisted } = judge(subject, direction, before, forget(subject, after, place));
    return !unlisted.some((difference) => path.test(difference));
  });
}

type Closes = (value: JsonValue) => boolean;

/** Codecs of the same type have the same members, so one of them is enough. */
function ofEachType(subjects: readonly Subject[]): [string, Subject][] {
  const byType = new Map(subjects.map((subject) => [JSON.stringify(subject.shape), subject]));
  return [...byType.values()].map((subject) => [`${subject.root.type} ${subject.root.member}`, subject]);
}

describe.each(Object.entries<Dialect>(dialects))('%s', (name, dialect) => {
  test.each(ofEachType(modelSubjects(dialect)))('%s: a forgotten member of the model is found out', (_, subject) => {
    expect(unnoticed(subject, 'write', populate(subject, modelSamples(dialect)), () => false)).toEqual([]);
  });

  test.each(ofEachType(wireSubjects(dialect)))('%s: a forgotten member of the wire is found out', (_, subject) => {
    expect(unnoticed(subject, 'read', populate(subject, WIRE_SAMPLES[name] ?? {}), dialect.endsStream)).toEqual([]);
  });
});

test('what is missing is told by its path', () => {
  const subject = modelSubjects(dialects.v1).find(({ root }) => root.type === 'GetTask' && root.member === 'result');
  if (subject === undefined) throw new Error('1.0 has GetTask');
  const [task] = populate(subject, modelSamples(dialects.v1));
  expect(judge(subject, 'write', task, forget(subject, task, 'Artifact.description')).unlisted).toEqual([
    expect.stringMatching(/^artifacts\[0\]\.description: "description-\d+" became nothing$/),
    expect.stringMatching(/^artifacts\[1\]\.description: "description-\d+" became nothing$/),
  ]);
});
