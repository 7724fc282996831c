import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArtifactFold } from './artifact-fold.ts';
import type { Artifact } from './artifact.ts';
import type { Part } from './part.ts';

const chunk = (artifactId: string, text: string, append = false) => ({
  taskId: 't',
  contextId: 'c',
  artifact: { artifactId, parts: [{ text }] },
  append,
});

function fold(chunks: readonly ReturnType<typeof chunk>[], start: readonly Artifact[] = []): readonly Artifact[] {
  const all = new ArtifactFold(start);
  for (const one of chunks) all.apply(one);
  return all.artifacts();
}

test('artifacts keep the order of their first chunks, also when one is replaced', () => {
  const artifacts = fold([chunk('b', '1'), chunk('a', '2'), chunk('b', '3')]);
  expect(artifacts.map(({ artifactId, parts }) => [artifactId, parts])).toEqual([
    ['b', [{ text: '3' }]],
    ['a', [{ text: '2' }]],
  ]);
});

test('apply() changes neither the initial artifacts nor those that artifacts() has returned', () => {
  const start: Artifact[] = [{ artifactId: 'a', parts: [{ text: '1' }] }];
  const all = new ArtifactFold(start);
  const before = all.artifacts();
  all.apply(chunk('a', '2', true));
  expect([start, before].map(([artifact]) => artifact?.parts)).toEqual([[{ text: '1' }], [{ text: '1' }]]);
  expect(all.artifacts()[0]?.parts).toEqual([{ text: '12' }]);
});

test('an artifact that was returned keeps its text when more chunks follow', () => {
  const all = new ArtifactFold();
  for (const text of ['1', '2', '3']) all.apply(chunk('a', text, true));
  const given = [all.get('a'), ...all.artifacts()];
  all.apply(chunk('a', '4', true));
  expect(given.map((artifact) => artifact?.parts)).toEqual([[{ text: '123' }], [{ text: '123' }]]);
  expect(all.artifacts()[0]?.parts).toEqual([{ text: '1234' }]);
});

test('alternating chunks of two artifacts are added to their own texts', () => {
  const all = new ArtifactFold();
  for (const text of ['1', '2', '3']) {
    all.apply(chunk('a', text, true));
    all.apply(chunk('b', text, true));
    all.apply(chunk('b', text, true));
  }
  expect(all.artifacts().map(({ parts }) => parts)).toEqual([[{ text: '123' }], [{ text: '112233' }]]);
});

test('artifacts with the same id are merged, so that nothing is lost', () => {
  const start: Artifact[] = [
    { artifactId: 'a', name: 'first', parts: [{ text: '1' }], metadata: { x: 1 } },
    { artifactId: 'b', parts: [{ text: '2' }] },
    { artifactId: 'a', name: 'second', parts: [{ text: '3' }], metadata: { y: 2 } },
  ];
  expect(fold([chunk('a', '4', true), chunk('b', '5')], start)).toEqual([
    { artifactId: 'a', name: 'second', parts: [{ text: '134' }], metadata: { x: 1, y: 2 } },
    { artifactId: 'b', parts: [{ text: '5' }] },
  ]);
  expect(start.map(({ parts }) => parts.length)).toEqual([1, 1, 1]);
});

test.each<[string, readonly Part[], readonly Part[]]>([
  ['plain texts', [{ text: 'a' }, { text: 'b' }, { text: 'c' }], [{ text: 'abc' }]],
  [
    'texts of one media type',
    [
      { text: '# a', mediaType: 'text/markdown' },
      { text: 'b', mediaType: 'text/markdown' },
    ],
    [{ text: '# ab', mediaType: 'text/markdown' }],
  ],
  [
    'texts on either side of data, each side by itself',
    [{ text: 'a' }, { text: 'b' }, { data: 1 }, { text: 'c' }, { text: 'd' }],
    [{ text: 'ab' }, { data: 1 }, { text: 'cd' }],
  ],
])('adjacent parts are joined, in one chunk or in several: %s', (_case, parts, joined) => {
  const inOne = new ArtifactFold([{ artifactId: 'a', parts }]);
  const inSeveral = new ArtifactFold();
  for (const part of parts) inSeveral.apply({ artifact: { artifactId: 'a', parts: [part] }, append: true });
  expect([inOne, inSeveral].map((all) => all.artifacts()[0]?.parts)).toEqual([joined, joined]);
});

test.each<[string, readonly Part[]]>([
  ['texts of different media types', [{ text: 'a' }, { text: 'b', mediaType: 'text/markdown' }, { text: 'c' }]],
  ['a text with metadata', [{ text: 'a' }, { text: 'b', metadata: { language: 'en' } }, { text: 'c' }]],
  ['a text with a file name', [{ text: 'a' }, { text: 'b', filename: 'b.txt' }, { text: 'c' }]],
  ['data', [{ data: 1 }, { data: 2 }]],
])('adjacent parts stay separate: %s', (_case, parts) => {
  const all = new ArtifactFold();
  for (const part of parts) all.apply({ artifact: { artifactId: 'a', parts: [part] }, append: true });
  expect(all.artifacts()[0]?.parts).toEqual(parts);
  expect(new ArtifactFold([{ artifactId: 'a', parts }]).artifacts()[0]?.parts).toEqual(parts);
});

test('a fold that resumes from a snapshot has the same result', () => {
  const chunks = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), text: fc.string(), append: fc.boolean() }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(chunks, fc.nat(40), (list, cut) => {
      const events = list.map(({ id, text, append }) => chunk(id, text, append));
      expect(fold(events.slice(cut), fold(events.slice(0, cut)))).toEqual(fold(events));
    }),
  );
});
