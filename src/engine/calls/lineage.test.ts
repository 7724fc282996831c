import { expect, test } from 'vitest';
import type { Lineage } from '../../model/lineage.ts';
import { agentMark, type CallingTask, checkLineage, lineageOfCall } from './lineage.ts';

const DESK = calling('front-desk', 't-1');
const ANALYTICS = { name: 'analytics', mark: 'm-analytics', maxDepth: 3 };

function calling(name: string, taskId: string, lineage?: Lineage): CallingTask {
  return { taskId, lineage, name, mark: `m-${name}` };
}

/** The lineage of the last call in a chain of agents. */
function chain(...names: readonly string[]): Lineage {
  const [first = '', ...others] = names;
  return others.reduce(
    (lineage, name) => lineageOfCall(calling(name, `t-${name}`, lineage)),
    lineageOfCall(calling(first, 't-1')),
  );
}

test('a call of a root task has depth 1 and names its task as root and parent', () => {
  expect(lineageOfCall(DESK)).toEqual({
    root: 't-1',
    parent: 't-1',
    depth: 1,
    path: ['front-desk'],
    marks: ['m-front-desk'],
  });
});

test('a call of a called task keeps the root and adds its agent', () => {
  expect(lineageOfCall(calling('analytics', 't-2', lineageOfCall(DESK)))).toEqual({
    root: 't-1',
    parent: 't-2',
    depth: 2,
    path: ['front-desk', 'analytics'],
    marks: ['m-front-desk', 'm-analytics'],
  });
});

test.each([
  [{ task: 5, received: 7, call: 9 }, 5],
  [{ task: 7, received: 5, call: 9 }, 5],
  [{ task: 7, received: 9, call: 5 }, 5],
  [{ task: undefined, received: undefined, call: 5 }, 5],
  [{ task: undefined, received: undefined, call: undefined }, undefined],
])('the deadline of a call is the earliest of %j', ({ task, received, call }, deadline) => {
  const lineage = { ...lineageOfCall(DESK), ...(received !== undefined && { deadline: received }) };
  expect(lineageOfCall({ ...DESK, lineage, deadline: task }, call).deadline).toBe(deadline);
});

test('a chain within maxDepth is allowed', () => {
  expect(checkLineage(chain('a', 'b', 'c'), ANALYTICS)).toBeUndefined();
});

test('a chain that is longer than maxDepth is rejected', () => {
  expect(checkLineage(chain('a', 'b', 'c', 'd'), ANALYTICS)?.text).toBe(
    'analytics cannot be called here, because 4 calls would lead to it and 3 are allowed (maxDepth): a › b › c › d › analytics. Continue without this call.',
  );
});

test('a depth that is less than the path shows does not hide a long chain', () => {
  expect(checkLineage({ ...chain('a', 'b', 'c', 'd'), depth: 1 }, ANALYTICS)?.text).toContain(
    '4 calls would lead to it',
  );
});

test('a path that is shorter than the depth does not hide a long chain', () => {
  expect(checkLineage({ ...chain('a'), depth: 4 }, ANALYTICS)?.text).toContain('4 calls would lead to it');
});

test('an agent that calls itself is rejected', () => {
  expect(checkLineage(chain('front-desk', 'analytics'), ANALYTICS)?.text).toBe(
    'analytics cannot call itself. Continue without this call.',
  );
});

test('a call to an agent that waits further up in the chain is rejected', () => {
  expect(checkLineage(chain('front-desk', 'analytics', 'mail'), { ...ANALYTICS, maxDepth: 9 })?.text).toBe(
    'analytics cannot be called here, because it waits for the result of this call: front-desk › analytics › mail › analytics. Continue without this call.',
  );
});

test('an agent of another host with the same name is not a cycle', () => {
  const lineage = { ...chain('analytics'), marks: [agentMark('https://one.example', 'analytics')] };
  const mark = agentMark('https://two.example', 'analytics');
  expect(checkLineage(lineage, { ...ANALYTICS, mark })).toBeUndefined();
});

test('a path names at most 16 agents, the first and the last ones', () => {
  const names = Array.from({ length: 20 }, (_, i) => `a${i}`);
  const { path, depth } = chain(...names);
  expect(path).toHaveLength(16);
  expect([path[0], path.at(-1), depth]).toEqual(['a0', 'a19', 20]);
});
