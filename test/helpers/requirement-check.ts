/** Compares the list of requirements with the rules that tests verify. */
import type { Requirement } from '../e2e/requirements/define.ts';
import type { Claims } from './claims.ts';

/** When this step is done, every rule needs a test. */
const LAST_STEP = 5;

export interface RequirementCheckInput {
  readonly requirements: Readonly<Record<string, Requirement>>;
  readonly claims: Claims;
  readonly doneSteps: number;
  /** Rules that need no test until the current step is finished. */
  readonly pending: readonly string[];
  /** The text of a page, or undefined; and whether a folder or file exists. */
  readonly page: (path: string) => string | undefined;
  readonly exists: (path: string) => boolean;
}

export interface RequirementReport {
  /** Empty if all required rules have tests. */
  readonly failures: readonly string[];
  /** The untested rules by step, and the rules about missing folders. */
  readonly report: string;
}

export function checkRequirements(input: RequirementCheckInput): RequirementReport {
  const rules = Object.entries(input.requirements);
  const open = rules.filter(([id, rule]) => !isTested(id, rule, input));
  const withoutSubject = open.filter(([, rule]) => rule.needs !== undefined && !input.exists(rule.needs));
  const missing = open.filter((entry) => !withoutSubject.includes(entry));
  const due = missing.filter(([, rule]) => isFinal(input) || rule.step <= input.doneSteps);
  const pending = due.filter(([id]) => !isFinal(input) && input.pending.includes(id));
  const overdue = due.filter((entry) => !pending.includes(entry));

  const later = [...new Set(rules.map(([, rule]) => rule.step))]
    .sort((a, b) => a - b)
    .map(
      (step) => [step, idsOf(missing.filter((entry) => entry[1].step === step && !pending.includes(entry)))] as const,
    );
  const needless = input.pending.filter((id) => !idsOf(pending).includes(id));
  return {
    failures: [...claimFailures(input), ...overdue.map(([id, rule]) => `${id} has no test yet: ${describe(rule)}`)],
    report: [
      `Requirements: ${rules.length - open.length} of ${rules.length} tested`,
      ...block(`PENDING, of a finished step: ${pending.length}`, idsOf(pending)),
      ...later.flatMap(([step, ids]) => block(`step ${step}: ${ids.length} open`, ids)),
      ...block('not needed in PENDING', needless),
      ...[...new Set(withoutSubject.map(([, rule]) => rule.needs))].flatMap((needs) =>
        block(`no ${needs} yet`, idsOf(withoutSubject.filter(([, rule]) => rule.needs === needs))),
      ),
    ].join('\n'),
  };
}

function isFinal({ doneSteps }: RequirementCheckInput): boolean {
  return doneSteps >= LAST_STEP;
}

function claimFailures(input: RequirementCheckInput): readonly string[] {
  const unknown = [...input.claims.tested].filter(([id]) => !(id in input.requirements));
  return [
    ...input.claims.problems,
    ...unknown.map(([id, at]) => `${at} ${id} is not a rule`),
    ...(isFinal(input) && input.pending.length > 0 ? ['PENDING must be empty, because the last step is done'] : []),
  ];
}

function idsOf(entries: readonly (readonly [string, Requirement])[]): readonly string[] {
  return entries.map(([id]) => id);
}

function isTested(id: string, rule: Requirement, { claims, page }: RequirementCheckInput): boolean {
  return (
    claims.tested.has(id) ||
    (rule.proof !== undefined && (page(rule.proof.docs)?.includes(rule.proof.words ?? id) ?? false))
  );
}

function describe(rule: Requirement): string {
  const how = rule.proof === undefined ? '' : ` (to be stated in ${rule.proof.docs})`;
  return `${rule.who} ${rule.level}, ${rule.section}: ${rule.rule}${how}`;
}

/** A title and the ids, in lines of terminal width. Empty if there are no ids. */
function block(title: string, ids: readonly string[]): readonly string[] {
  const lines = ids.length === 0 ? [] : [`  ${title}:`];
  for (const id of ids) {
    const last = lines.pop() ?? '';
    if (last.length + id.length > 118) lines.push(last, `    ${id}`);
    else lines.push(`${last} ${id}`);
  }
  return lines;
}
