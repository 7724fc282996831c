import { expect, test } from 'vitest';

import { documented, must, onceThereIs } from '../e2e/requirements/define.ts';
import { REQUIREMENTS } from '../e2e/requirements.ts';
import { findClaims } from './claims.ts';
import { judge } from './gate.ts';
import type { GateInput } from './gate.ts';
import { verifies } from './verifies.ts';

const NOTHING_DONE: GateInput = {
  requirements: {
    'A-01': must(1, 'server', '§1', 'is early'),
    'A-02': must(4, 'client', '§2', 'is late'),
    'A-03': must(7, 'client', '§3', 'is last'),
    'A-04': documented('docs/a.md', must(4, 'both', '§4', 'is written down')),
    'A-05': onceThereIs('src/grpc', must(7, 'server', '§5', 'may have no subject')),
  },
  claims: { tested: new Map(), problems: [] },
  doneSteps: 0,
  pending: [],
  page: () => undefined,
  exists: () => false,
};

/** The failures, by their first words. */
function failures(change: Partial<GateInput>): readonly string[] {
  return judge({ ...NOTHING_DONE, ...change }).failures.map((failure) => failure.split(/ and|:/)[0] ?? '');
}

const shown = (...ids: readonly string[]): Partial<GateInput> => ({
  claims: { tested: new Map(ids.map((id) => [id, 'a.test.ts:1'])), problems: [] },
});

test('a rule is due when its step is done', () => {
  expect(failures({ doneSteps: 0 })).toEqual([]);
  expect(failures({ doneSteps: 1 })).toEqual(['A-01 is due']);
  expect(failures({ doneSteps: 1, ...shown('A-01') })).toEqual([]);
  expect(failures({ doneSteps: 4 })).toEqual(['A-01 is due', 'A-02 is due', 'A-04 is due']);
});

test('a pending rule passes until the gate is shut', () => {
  expect(failures({ doneSteps: 1, pending: ['A-01'] })).toEqual([]);
  expect(failures({ doneSteps: 5, pending: ['A-01'], ...shown('A-02', 'A-03', 'A-04') })).toEqual([
    'PENDING must be empty',
    'A-01 is due',
  ]);
});

test('after step 5 no rule can be open, whatever its own step', () => {
  expect(failures({ doneSteps: 5 })).toEqual(['A-01 is due', 'A-02 is due', 'A-03 is due', 'A-04 is due']);
  const ids = Object.keys(REQUIREMENTS);
  const withSubject = { ...NOTHING_DONE, requirements: REQUIREMENTS, exists: () => true };
  expect(judge({ ...withSubject, doneSteps: 5 }).failures).toHaveLength(ids.length);
  expect(judge({ ...withSubject, doneSteps: 5, ...shown(...ids) }).failures).toEqual([]);
});

test('a rule without a subject is due when the subject exists', () => {
  const rest = shown('A-01', 'A-02', 'A-03', 'A-04');
  expect(failures({ doneSteps: 5, ...rest })).toEqual([]);
  expect(failures({ doneSteps: 5, ...rest, exists: (path) => path === 'src/grpc' })).toEqual(['A-05 is due']);
});

test('only what is about gRPC and about calls between agents may wait for a subject', () => {
  const waiting = Object.entries(REQUIREMENTS).filter(([, rule]) => rule.needs !== undefined);
  expect(waiting.map(([id]) => id)).toEqual(['E-07', 'I-06', 'B-07']);
});

test('a documented rule is shown by the page that names it', () => {
  const rest = { doneSteps: 4, ...shown('A-01', 'A-02') };
  expect(failures({ ...rest, page: () => 'about A-03' })).toEqual(['A-04 is due']);
  expect(failures({ ...rest, page: (path) => (path === 'docs/a.md' ? 'A-04: how' : undefined) })).toEqual([]);
});

test('a claim of an unknown rule fails', () => {
  expect(failures(shown('A-99'))).toEqual(['a.test.ts']);
});

test('the report lists what is open, by step', () => {
  const { report } = judge({ ...NOTHING_DONE, doneSteps: 1, pending: ['A-01', 'A-02'] });
  expect(report.split('\n')).toEqual([
    'Requirements: 0 of 5 shown',
    '  PENDING, due now: 1: A-01',
    '  step 4: 2 open: A-02 A-04',
    '  step 7: 1 open: A-03',
    '  in PENDING for no reason: A-02',
    '  no src/grpc yet: A-05',
  ]);
});

test.each([
  ["test(verifies('V-06', 'name'), () => {});", ['V-06']],
  ["test.each([1, 2])(verifies(['V-06', 'V-11'], 'name'), () => {});", ['V-06', 'V-11']],
  ["describe(verifies('V-06', 'name'), () => { test(verifies(`V-11`, 'name'), () => {}); });", ['V-06', 'V-11']],
  ["// test(verifies('V-06', 'name'), () => {});", []],
  ["const text = \"test(verifies('V-06', 'name'))\";", []],
])('in %s the ids %j are found', (text, ids) => {
  const { tested, problems } = findClaims(new Map([['a.test.ts', text]]));
  expect([...tested.keys()]).toEqual(ids);
  expect(problems).toEqual([]);
});

test.each([
  ["test.skip(verifies('V-06', 'name'), () => {});", 'may not run'],
  ["test.todo(verifies('V-06', 'name'));", 'may not run'],
  ["test.skipIf(old)(verifies('V-06', 'name'), () => {});", 'may not run'],
  ["describe.skip('group', () => { test(verifies('V-06', 'name'), () => {}); });", 'may not run'],
  ["test(verifies(id, 'name'), () => {});", 'written out'],
  ["test.each(ids)(verifies([...ids], 'name'), () => {});", 'written out'],
  ["const name = verifies('V-06', 'name');", 'where a test has its name'],
  ["test('name', () => { expect(verifies('V-06', 'name')).toBe(1); });", 'where a test has its name'],
])('%s shows nothing', (text, problem) => {
  const { tested, problems } = findClaims(new Map([['a.test.ts', `\n${text}`]]));
  expect([...tested.keys()]).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^a.test.ts:2 .*${problem}`))]);
});

test('the id is part of the name', () => {
  const name = verifies;
  expect(name('V-06', 'a patch number changes nothing')).toBe('a patch number changes nothing [V-06]');
  expect(name(['E-13', 'E-14'], 'refused')).toBe('refused [E-13 E-14]');
});
