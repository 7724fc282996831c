/** Fails if a rule of the protocol has no test, and prints the rules that are still open. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { findClaims } from '../helpers/claims.ts';
import { checkRequirements } from '../helpers/requirement-check.ts';
import { ROOT, isTestFile, readSources } from '../helpers/source.ts';
import { REQUIREMENTS } from './requirements.ts';
import type { RequirementId } from './requirements.ts';

/** The last finished step: its rules, and those of earlier steps, are due. At 5 every rule is due. */
const DONE_STEPS = 5;

/** Rules of a finished step that still wait for their test. */
const PENDING: readonly RequirementId[] = [];

test('every rule that is due has a test, and the report lists the open rules', () => {
  const sources = [...readSources('src', 'test')].filter(([path]) => isTestFile(path));
  const verdict = checkRequirements({
    requirements: REQUIREMENTS,
    claims: findClaims(new Map(sources)),
    doneSteps: DONE_STEPS,
    pending: PENDING,
    page: (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined),
    exists: (path) => existsSync(join(ROOT, path)),
  });

  console.log(verdict.report);
  expect(verdict.failures).toEqual([]);
});
