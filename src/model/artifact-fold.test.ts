import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArtifactFold } from './artifact-fold.ts';
import type { Artifact } from './artifact.ts';

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

test('artifacts stay in the order in which they first came, also when one is replaced', () => {
  const artifacts = fold([chunk('b', '1'), chunk('a', '2'), chunk('b', '3')]);
  expect(artifacts.map(({ artifactId, parts }) => [artifactId, parts])).toEqual([
    ['b', [{ text: '3' }]],
    ['a', [{ text: '2' }]],
  ]);
});

test('neither what it starts from nor what it gave out changes', () => {
  const start: Artifact[] = [{ artifactId: 'a', parts: [{ text: '1' }] }];
  const all = new ArtifactFold(start);
  const before = all.artifacts();
  all.apply(chunk('a', '2', true));
  expect(start[0]?.parts).toHaveLength(1);
  expect(before[0]?.parts).toHaveLength(1);
  expect(all.artifacts()[0]?.parts).toHaveLength(2);
});

test('artifacts that share an id are taken together, so that nothing is lost', () => {
  const start: Artifact[] = [
    { artifactId: 'a', name: 'first', parts: [{ text: '1' }], metadata: { x: 1 } },
    { artifactId: 'b', parts: [{ text: '2' }] },
    { artifactId: 'a', name: 'second', parts: [{ text: '3' }], metadata: { y: 2 } },
  ];
  expect(fold([chunk('a', '4', true), chunk('b', '5')], start)).toEqual([
    { artifactId: 'a', name: 'second', parts: [{ text: '1' }, { text: '3' }, { text: '4' }], metadata: { x: 1, y: 2 } },
    { artifactId: 'b', parts: [{ text: '5' }] },
  ]);
  expect(start.map(({ parts }) => parts.length)).toEqual([1, 1, 1]);
});

test('to stop, take a snapshot and go on from it changes nothing', () => {
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
