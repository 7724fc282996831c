import { describe, expect, test, vi } from 'vitest';
import { dropMember } from './drop-member.ts';
import { compareRoundTrip, roundTrip } from './round-trip.ts';
import { modelSamples, WIRE_SAMPLES } from './samples.ts';
import { modelSubjects, populate, type Subject, wireSubjects } from './subjects.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Loss } from './losses.ts';
import { dialects } from '../../src/wire/select.ts';

vi.setConfig({ testTimeout: 60_000 });

/**
 * Tests of the comparison that the parity tests use: every member that a dialect keeps is dropped once, and the comparison
 * must report it.
 */

/** The members that survive a round trip, but whose loss the comparison does not report. */
function undetectedDrops(
  subject: Subject,
  direction: Loss['direction'],
  values: readonly JsonValue[],
  closes: Closes,
): readonly string[] {
  const trips = values.map((before) => {
    const after = roundTrip(subject, direction, before, closes(before));
    return { before, after, kept: compareRoundTrip(subject, direction, before, after).kept };
  });
  return [...new Set(trips.flatMap(({ kept }) => [...kept]))].filter((place) => {
    const path = new RegExp(`(^|\\.)${place.split('.').at(-1) ?? ''}(\\[\\d+\\])?[:.]`);
    const { before, after } = trips.find(({ kept }) => kept.has(place)) ?? {};
    const { unlisted } = compareRoundTrip(subject, direction, before, dropMember(subject, after, place));
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
  test.each(ofEachType(modelSubjects(dialect)))(
    '%s: the comparison reports each dropped member of the model',
    (_, subject) => {
      expect(undetectedDrops(subject, 'write', populate(subject, modelSamples(dialect)), () => false)).toEqual([]);
    },
  );

  test.each(ofEachType(wireSubjects(dialect)))(
    '%s: the comparison reports each dropped member of the wire format',
    (_, subject) => {
      expect(undetectedDrops(subject, 'read', populate(subject, WIRE_SAMPLES[name] ?? {}), dialect.endsStream)).toEqual(
        [],
      );
    },
  );
});

test('the comparison reports the path of each dropped member', () => {
  const subject = modelSubjects(dialects.v1).find(({ root }) => root.type === 'GetTask' && root.member === 'result');
  if (subject === undefined) throw new Error('1.0 has GetTask');
  const [task] = populate(subject, modelSamples(dialects.v1));
  expect(compareRoundTrip(subject, 'write', task, dropMember(subject, task, 'Artifact.description')).unlisted).toEqual([
    expect.stringMatching(/^artifacts\[0\]\.description: "description-\d+" became nothing$/),
    expect.stringMatching(/^artifacts\[1\]\.description: "description-\d+" became nothing$/),
  ]);
});
