import { expect, test } from 'vitest';
import { decodeResult } from '../dialect.ts';
import { dialects } from '../select.ts';

const PARTS = [{ kind: 'text', text: 'x' }];
const task = (...artifacts: readonly unknown[]) => ({
  kind: 'task',
  id: 't',
  status: { state: 'completed' },
  artifacts,
});

test.each([
  ['without an id', [{ name: 'a', parts: PARTS }, { parts: PARTS }], ['artifact-0', 'artifact-1']],
  ['where one has an id', [{ artifactId: 'mine', parts: PARTS }, { parts: PARTS }], ['mine', 'artifact-1']],
  [
    'whose position gives the id of another artifact',
    [{ artifactId: 'artifact-1', parts: PARTS }, { parts: PARTS }],
    ['artifact-1', "artifact-1'"],
  ],
  ['whose id is null', [{ artifactId: null, parts: PARTS }], ['artifact-0']],
])('artifacts %s get ids from their position', (_, artifacts, ids) => {
  const { value, warnings } = decodeResult(dialects.v03, 'GetTask', task(...artifacts));
  expect(value.artifacts?.map(({ artifactId }) => artifactId)).toEqual(ids);
  expect(warnings.map(({ code }) => code)).toEqual(['artifact-id-missing']);
});

test.each<[string, unknown, boolean]>([
  ['strict reading', { parts: PARTS }, true],
  ['an id of another type', { artifactId: 7, parts: PARTS }, false],
  ['a value that is not an artifact', 'x', false],
])('%s is not repaired', (_, artifact, strict) => {
  expect(() => decodeResult(dialects.v03, 'GetTask', task(artifact), { strict })).toThrow(/artifacts\[0\]/);
});
