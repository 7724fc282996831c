/** The gate: no rule of the protocol is forgotten, and what is still open is there for everyone to see. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { findClaims } from '../helpers/claims.ts';
import { judge } from '../helpers/gate.ts';
import { ROOT, isTestFile, readSources } from '../helpers/source.ts';
import { REQUIREMENTS } from './requirements.ts';
import type { RequirementId } from './requirements.ts';

/** The last step whose work is finished: its rules, and those before, are due. At 5 every rule is. */
const DONE_STEPS = 5;

/** Rules of a finished step that still wait for their test. */
const PENDING: readonly RequirementId[] = [];

test('every rule that is due is shown by a test, and the open ones are listed', () => {
  const sources = [...readSources('src', 'test')].filter(([path]) => isTestFile(path));
  const verdict = judge({
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
