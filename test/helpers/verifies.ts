import type { RequirementId } from '../e2e/requirements.ts';

/**
 * The name of a test that shows a rule of the protocol, with the rule's id in it. Call it where the name stands, with
 * ids written out, because the gate (test/e2e/requirements.test.ts) reads them from the source:
 *
 *     test(verifies('V-06', 'a patch number changes nothing'), () => …);
 *     test.each(cases)(verifies(['E-13', 'E-14'], '$name is refused'), ({ json, path }) => …);
 *
 * Claim a rule only in a test that fails when the rule is broken.
 */
export function verifies(ids: RequirementId | readonly RequirementId[], name: string): string {
  return `${name} [${[ids].flat().join(' ')}]`;
}
