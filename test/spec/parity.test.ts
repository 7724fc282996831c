import { describe, expect, test, vi } from 'vitest';
import { problemsOf } from './conform.ts';
import { judge, roundTrip, transmit } from './round-trip.ts';
import { modelSamples, WIRE_SAMPLES } from './samples.ts';
import { placesIn } from './shape.ts';
import { spec10, SPECS } from './specs.ts';
import { modelSubjects, populate, type Subject, wireSubjects } from './subjects.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import { dialects } from '../../src/wire/select.ts';

vi.setConfig({ testTimeout: 60_000 });

/**
 * Values with every member that the normative files know go through every codec of every dialect, both ways. Whatever
 * does not come back must be in the table of losses, and whatever is in the table must not come back.
 */

const named = (subjects: readonly Subject[]): [string, Subject][] =>
  subjects.map((subject) => [`${subject.root.type} ${subject.root.member}`, subject]);

describe.each(Object.entries<Dialect>(dialects))('%s', (name, dialect) => {
  const ours = modelSubjects(dialect);
  const theirs = wireSubjects(dialect);
  const samples = modelSamples(dialect);

  test.each(named(ours))('%s: the model comes back from the wire but for the listed losses', (_, subject) => {
    for (const flavour of ['full', 'empty', 'bare'] as const) {
      for (const value of populate(subject, samples, flavour)) {
        const { unlisted, unharmed } = judge(subject, 'write', value, roundTrip(subject, 'write', value));
        expect({ flavour, unlisted, unharmed }).toEqual({ flavour, unlisted: [], unharmed: [] });
      }
    }
  });

  test.each(named(theirs))('%s: the wire comes back from the model but for the listed losses', (_, subject) => {
    for (const json of populate(subject, WIRE_SAMPLES[name] ?? {})) {
      const back = roundTrip(subject, 'read', json, dialect.endsStream(json));
      const { unlisted, unharmed } = judge(subject, 'read', json, back);
      expect({ unlisted, unharmed }).toEqual({ unlisted: [], unharmed: [] });
    }
  });

  test.each(named(theirs))('%s: what we write is what the normative file wants', (_, official) => {
    const own = ours.find(({ root }) => root.type === official.root.type && root.member === official.root.member);
    if (own === undefined) throw new Error('the model knows no such operation');
    for (const value of populate(own, samples)) {
      expect(problemsOf(official.spec, official.shape, transmit(own.encode(value)))).toEqual([]);
    }
  });
});

/** The members that full values of these subjects have. */
function membersMet(subjects: readonly Subject[], samples: Parameters<typeof populate>[1]): ReadonlySet<string> {
  const met = subjects.flatMap((subject) =>
    populate(subject, samples).flatMap((value) => [...judge(subject, 'write', value, value).met]),
  );
  return new Set(met);
}

test('full values have every member of every type of 1.0', () => {
  const all = [...spec10.types].flatMap(([type, members]) => members.map((member) => `${type}.${member.name}`));
  expect(membersMet(modelSubjects(dialects.v1), modelSamples(dialects.v1))).toEqual(new Set(all));
});

test.each(Object.keys(SPECS) as (keyof typeof SPECS)[])('full values have every member that %s can reach', (name) => {
  // As if nothing were lost, lest members inside of what is lost be left out.
  const subjects = wireSubjects(dialects[name]).map((subject) => ({ ...subject, dialect: 'none' }));
  const all = subjects.flatMap(({ spec, shape }) => [...placesIn(spec, shape)]);
  expect(membersMet(subjects, WIRE_SAMPLES[name] ?? {})).toEqual(new Set(all));
});
