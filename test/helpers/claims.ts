/** Finds the tests that verify rules of the protocol. */
import { lineOf, literal, visit } from './source.ts';
import type { Sources } from './source.ts';

export interface Claims {
  /** Rule → the first test that verifies it. */
  readonly tested: ReadonlyMap<string, string>;
  /** Uses of `verifies()` that cannot be counted. */
  readonly problems: readonly string[];
}

/** Finds the calls of `verifies()`. A call counts if it is the title of a test that runs. */
export function findClaims(sources: Sources): Claims {
  const tested = new Map<string, string>();
  const problems: string[] = [];
  for (const [path, text] of sources) {
    for (const { line, ids, problem } of claimsIn(path, text)) {
      if (problem !== undefined) problems.push(`${path}:${line} ${problem}`);
      else for (const id of ids) if (!tested.has(id)) tested.set(id, `${path}:${line}`);
    }
  }
  return { tested, problems };
}

interface Claim {
  readonly line: number;
  readonly ids: readonly string[];
  readonly problem?: string;
}

function claimsIn(path: string, text: string): readonly Claim[] {
  const claims: Claim[] = [];
  if (!text.includes('verifies')) return claims;
  const names = new Set<Call>();
  let skippedUntil = 0;
  // Outer calls come before the calls inside them.
  visit(path, text, {
    CallExpression(node) {
      const callee = text.slice(node.callee.start, node.callee.end);
      if (/^(test|it|describe)\b/.test(callee)) {
        if (/\.(skip|todo|fails|skipIf|runIf)\b/.test(callee)) skippedUntil = Math.max(skippedUntil, node.end);
        const name = node.arguments[0];
        if (name?.type === 'CallExpression') names.add(name);
      }
      if (callee !== 'verifies') return;
      const line = lineOf(text, node.start);
      const ids = idsOf(node.arguments[0]);
      if (!names.has(node)) claims.push({ line, ids: [], problem: 'verifies() must be the title of a test' });
      else if (ids === undefined) claims.push({ line, ids: [], problem: 'verifies() needs literal ids' });
      else if (node.start < skippedUntil)
        claims.push({ line, ids: [], problem: `${ids.join(' ')}: the test may not run` });
      else claims.push({ line, ids });
    },
  });
  return claims;
}

type Call = Parameters<NonNullable<Parameters<typeof visit>[2]['CallExpression']>>[0];

function idsOf(argument: Call['arguments'][number] | undefined): readonly string[] | undefined {
  const nodes = argument?.type === 'ArrayExpression' ? argument.elements : [argument];
  const ids = nodes.map((node) => (node ? literal(node) : undefined));
  return ids.every((id) => id !== undefined) ? ids : undefined;
}
