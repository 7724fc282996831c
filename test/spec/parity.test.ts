import { describe, expect, test, vi } from 'vitest';
import { problemsOf } from './conform.ts';
import { compareRoundTrip, roundTrip, transmit } from './round-trip.ts';
import { modelSamples, WIRE_SAMPLES } from './samples.ts';
import { placesIn } from './shape.ts';
import { spec10, SPECS } from './specs.ts';
import { modelSubjects, populate, type Subject, wireSubjects } from './subjects.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import { dialects } from '../../src/wire/select.ts';

vi.setConfig({ testTimeout: 60_000 });

/**
 * Values with every member of the normative files go through every codec of every dialect, in both directions. Every member
 * that is lost must be in the table of losses, and every member in the table must be lost.
 */

const named = (subjects: readonly Subject[]): [string, Subject][] =>
  subjects.map((subject) => [`${subject.root.type} ${subject.root.member}`, subject]);

describe.each(Object.entries<Dialect>(dialects))('%s', (name, dialect) => {
  const ours = modelSubjects(dialect);
  const theirs = wireSubjects(dialect);
  const samples = modelSamples(dialect);

  test.each(named(ours))('%s: decode(encode(value)) is the value without the listed losses', (_, subject) => {
    for (const flavour of ['full', 'empty', 'bare'] as const) {
      for (const value of populate(subject, samples, flavour)) {
        const { unlisted, unexpectedlyKept } = compareRoundTrip(
          subject,
          'write',
          value,
          roundTrip(subject, 'write', value),
        );
        expect({ flavour, unlisted, unexpectedlyKept }).toEqual({ flavour, unlisted: [], unexpectedlyKept: [] });
      }
    }
  });

  test.each(named(theirs))('%s: encode(decode(json)) is the JSON without the listed losses', (_, subject) => {
    for (const json of populate(subject, WIRE_SAMPLES[name] ?? {})) {
      const back = roundTrip(subject, 'read', json, dialect.endsStream(json));
      const { unlisted, unexpectedlyKept } = compareRoundTrip(subject, 'read', json, back);
      expect({ unlisted, unexpectedlyKept }).toEqual({ unlisted: [], unexpectedlyKept: [] });
    }
  });

  test.each(named(theirs))('%s: the encoded value is valid by the normative file', (_, official) => {
    const own = ours.find(({ root }) => root.type === official.root.type && root.member === official.root.member);
    if (own === undefined) throw new Error('The model has no such operation');
    for (const value of populate(own, samples)) {
      expect(problemsOf(official.spec, official.shape, transmit(own.encode(value)))).toEqual([]);
    }
  });
});

/** The members that full values of these subjects have. */
function membersMet(subjects: readonly Subject[], samples: Parameters<typeof populate>[1]): ReadonlySet<string> {
  const met = subjects.flatMap((subject) =>
    populate(subject, samples).flatMap((value) => [...compareRoundTrip(subject, 'write', value, value).met]),
  );
  return new Set(met);
}

test('the test values have every member of every type of 1.0', () => {
  const all = [...spec10.types].flatMap(([type, members]) => members.map((member) => `${type}.${member.name}`));
  expect(membersMet(modelSubjects(dialects.v1), modelSamples(dialects.v1))).toEqual(new Set(all));
});

test.each(Object.keys(SPECS) as (keyof typeof SPECS)[])(
  'the test values have every member of the types of %s',
  (name) => {
    // Without losses, because members inside of lost members count, too.
    const subjects = wireSubjects(dialects[name]).map((subject) => ({ ...subject, dialect: 'none' }));
    const all = subjects.flatMap(({ spec, shape }) => [...placesIn(spec, shape)]);
    expect(membersMet(subjects, WIRE_SAMPLES[name] ?? {})).toEqual(new Set(all));
  },
);
