import type { Check } from '../check.ts';
import { kindOf } from '../check.ts';

export const RULE_KEYS = ['audience', 'clockToleranceSeconds', 'isRevoked', 'tenants'] as const;

/** Notes what is wrong with the members of `TokenRules`, as somebody wrote them. */
export function checkRules(check: Check, given: Readonly<Record<string, unknown>>): void {
  const { audience, clockToleranceSeconds: tolerance, isRevoked, tenants } = given;
  if (audience !== undefined) checkTexts(check, audience, 'audience');
  if (tolerance !== undefined && !(Number.isSafeInteger(tolerance) && Number(tolerance) >= 0)) {
    check.fault('clockToleranceSeconds', `must be a whole number, 0 or more, not ${kindOf(tolerance)}`);
  }
  if (isRevoked !== undefined && typeof isRevoked !== 'function') {
    check.fault('isRevoked', `must be a function, not ${kindOf(isRevoked)}`);
  }
  if (tenants !== undefined && typeof tenants !== 'function') {
    check.fault('tenants', `must be a function, not ${kindOf(tenants)}`);
  }
}

/** One text or several. */
export function checkTexts(check: Check, value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) return [check.text(value, path)];
  if (value.length === 0) check.fault(path, 'must name one at least');
  return check.list(value, path, 'texts', (item, at) => check.text(item, at));
}
