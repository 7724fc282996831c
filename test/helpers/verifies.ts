import type { RequirementId } from '../e2e/requirements.ts';

/**
 * The title of a test that verifies a rule of the protocol, with the id of the rule. Call it as the first argument of `test`,
 * with literal ids, because test/e2e/requirements.test.ts reads them from the source:
 *
 *     test(verifies('<id>', 'a patch number changes nothing'), () => …);
 *     test.each(cases)(verifies(['<id>', '<id>'], '$name is rejected'), ({ json, path }) => …);
 *
 * Use it only in a test that fails when the rule is broken.
 */
export function verifies(ids: RequirementId | readonly RequirementId[], name: string): string {
  return `${name} [${[ids].flat().join(' ')}]`;
}
