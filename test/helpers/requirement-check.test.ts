import { expect, test } from 'vitest';

import { documented, must, onceThereIs } from '../e2e/requirements/define.ts';
import { REQUIREMENTS } from '../e2e/requirements.ts';
import { findClaims } from './claims.ts';
import { checkRequirements } from './requirement-check.ts';
import type { RequirementCheckInput } from './requirement-check.ts';
import { verifies } from './verifies.ts';

const NOTHING_DONE: RequirementCheckInput = {
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

/** The start of each failure. */
function failures(change: Partial<RequirementCheckInput>): readonly string[] {
  return checkRequirements({ ...NOTHING_DONE, ...change }).failures.map(
    (failure) => failure.split(/ yet|, because|:/)[0] ?? '',
  );
}

const tested = (...ids: readonly string[]): Partial<RequirementCheckInput> => ({
  claims: { tested: new Map(ids.map((id) => [id, 'a.test.ts:1'])), problems: [] },
});

test('the requirement check fails for an untested rule when its step is done', () => {
  expect(failures({ doneSteps: 0 })).toEqual([]);
  expect(failures({ doneSteps: 1 })).toEqual(['A-01 has no test']);
  expect(failures({ doneSteps: 1, ...tested('A-01') })).toEqual([]);
  expect(failures({ doneSteps: 4 })).toEqual(['A-01 has no test', 'A-02 has no test', 'A-04 has no test']);
});

test('the requirement check accepts a pending rule until the last step is done', () => {
  expect(failures({ doneSteps: 1, pending: ['A-01'] })).toEqual([]);
  expect(failures({ doneSteps: 5, pending: ['A-01'], ...tested('A-02', 'A-03', 'A-04') })).toEqual([
    'PENDING must be empty',
    'A-01 has no test',
  ]);
});

test('after step 5 the requirement check fails for every untested rule', () => {
  expect(failures({ doneSteps: 5 })).toEqual([
    'A-01 has no test',
    'A-02 has no test',
    'A-03 has no test',
    'A-04 has no test',
  ]);
  const ids = Object.keys(REQUIREMENTS);
  const withSubject = { ...NOTHING_DONE, requirements: REQUIREMENTS, exists: () => true };
  expect(checkRequirements({ ...withSubject, doneSteps: 5 }).failures).toHaveLength(ids.length);
  expect(checkRequirements({ ...withSubject, doneSteps: 5, ...tested(...ids) }).failures).toEqual([]);
});

test('the requirement check fails for an untested rule about a missing folder only when that folder exists', () => {
  const rest = tested('A-01', 'A-02', 'A-03', 'A-04');
  expect(failures({ doneSteps: 5, ...rest })).toEqual([]);
  expect(failures({ doneSteps: 5, ...rest, exists: (path) => path === 'src/grpc' })).toEqual(['A-05 has no test']);
});

test('only rules about gRPC and about calls between agents may wait for a folder', () => {
  const waiting = Object.entries(REQUIREMENTS).filter(([, rule]) => rule.needs !== undefined);
  expect(waiting.map(([id]) => id)).toEqual(['E-07', 'I-06', 'B-07']);
});

test('the requirement check accepts a documented rule if its page contains the id', () => {
  const rest = { doneSteps: 4, ...tested('A-01', 'A-02') };
  expect(failures({ ...rest, page: () => 'about A-03' })).toEqual(['A-04 has no test']);
  expect(failures({ ...rest, page: (path) => (path === 'docs/a.md' ? 'A-04: how' : undefined) })).toEqual([]);
});

test('the requirement check fails for a test that verifies an unknown rule', () => {
  expect(failures(tested('A-99'))).toEqual(['a.test.ts']);
});

test('the requirement report lists untested rules by step', () => {
  const { report } = checkRequirements({ ...NOTHING_DONE, doneSteps: 1, pending: ['A-01', 'A-02'] });
  expect(report.split('\n')).toEqual([
    'Requirements: 0 of 5 tested',
    '  PENDING, of a finished step: 1: A-01',
    '  step 4: 2 open: A-02 A-04',
    '  step 7: 1 open: A-03',
    '  not needed in PENDING: A-02',
    '  no src/grpc yet: A-05',
  ]);
});

test.each([
  ["test(verifies('V-06', 'name'), () => {});", ['V-06']],
  ["test.each([1, 2])(verifies(['V-06', 'V-11'], 'name'), () => {});", ['V-06', 'V-11']],
  ["describe(verifies('V-06', 'name'), () => { test(verifies(`V-11`, 'name'), () => {}); });", ['V-06', 'V-11']],
  ["// test(verifies('V-06', 'name'), () => {});", []],
  ["const text = \"test(verifies('V-06', 'name'))\";", []],
])('findClaims() finds in %s the ids %j', (text, ids) => {
  const { tested, problems } = findClaims(new Map([['a.test.ts', text]]));
  expect([...tested.keys()]).toEqual(ids);
  expect(problems).toEqual([]);
});

test.each([
  ["test.skip(verifies('V-06', 'name'), () => {});", 'may not run'],
  ["test.todo(verifies('V-06', 'name'));", 'may not run'],
  ["test.skipIf(old)(verifies('V-06', 'name'), () => {});", 'may not run'],
  ["describe.skip('group', () => { test(verifies('V-06', 'name'), () => {}); });", 'may not run'],
  ["test(verifies(id, 'name'), () => {});", 'literal ids'],
  ["test.each(ids)(verifies([...ids], 'name'), () => {});", 'literal ids'],
  ["const name = verifies('V-06', 'name');", 'must be the title of a test'],
  ["test('name', () => { expect(verifies('V-06', 'name')).toBe(1); });", 'must be the title of a test'],
])('findClaims() rejects %s', (text, problem) => {
  const { tested, problems } = findClaims(new Map([['a.test.ts', `\n${text}`]]));
  expect([...tested.keys()]).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^a.test.ts:2 .*${problem}`))]);
});

test('verifies() appends the ids to the title', () => {
  const name = verifies;
  expect(name('V-06', 'a patch number changes nothing')).toBe('a patch number changes nothing [V-06]');
  expect(name(['E-13', 'E-14'], 'refused')).toBe('refused [E-13 E-14]');
});
