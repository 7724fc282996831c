/** Compares the manifest of requirements with what the tests claim to show. */
import type { Requirement } from '../e2e/requirements/define.ts';
import type { Claims } from './claims.ts';

/** From the end of this step on, no rule may be open. */
const LAST_STEP = 5;

export interface GateInput {
  readonly requirements: Readonly<Record<string, Requirement>>;
  readonly claims: Claims;
  readonly doneSteps: number;
  /** Rules of a step in work: due, but let through until the step is finished. */
  readonly pending: readonly string[];
  /** The text of a page or undefined, and whether a folder or file exists. */
  readonly page: (path: string) => string | undefined;
  readonly exists: (path: string) => boolean;
}

export interface Verdict {
  /** Empty when the gate is open. */
  readonly failures: readonly string[];
  /** What nobody shows yet, by step, and what has no subject yet. */
  readonly report: string;
}

export function judge(input: GateInput): Verdict {
  const rules = Object.entries(input.requirements);
  const open = rules.filter(([id, rule]) => !isShown(id, rule, input));
  const subjectless = open.filter(([, rule]) => rule.needs !== undefined && !input.exists(rule.needs));
  const missing = open.filter((entry) => !subjectless.includes(entry));
  const due = missing.filter(([, rule]) => isShut(input) || rule.step <= input.doneSteps);
  const pending = due.filter(([id]) => !isShut(input) && input.pending.includes(id));
  const overdue = due.filter((entry) => !pending.includes(entry));

  const later = [...new Set(rules.map(([, rule]) => rule.step))]
    .sort((a, b) => a - b)
    .map(
      (step) => [step, idsOf(missing.filter((entry) => entry[1].step === step && !pending.includes(entry)))] as const,
    );
  const needless = input.pending.filter((id) => !idsOf(pending).includes(id));
  return {
    failures: [
      ...claimFailures(input),
      ...overdue.map(([id, rule]) => `${id} is due and not shown: ${describe(rule)}`),
    ],
    report: [
      `Requirements: ${rules.length - open.length} of ${rules.length} shown`,
      ...block(`PENDING, due now: ${pending.length}`, idsOf(pending)),
      ...later.flatMap(([step, ids]) => block(`step ${step}: ${ids.length} open`, ids)),
      ...block('in PENDING for no reason', needless),
      ...[...new Set(subjectless.map(([, rule]) => rule.needs))].flatMap((needs) =>
        block(`no ${needs} yet`, idsOf(subjectless.filter(([, rule]) => rule.needs === needs))),
      ),
    ].join('\n'),
  };
}

function isShut({ doneSteps }: GateInput): boolean {
  return doneSteps >= LAST_STEP;
}

function claimFailures(input: GateInput): readonly string[] {
  const unknown = [...input.claims.tested].filter(([id]) => !(id in input.requirements));
  return [
    ...input.claims.problems,
    ...unknown.map(([id, at]) => `${at} ${id} is no rule`),
    ...(isShut(input) && input.pending.length > 0 ? ['PENDING must be empty: the gate is shut'] : []),
  ];
}

function idsOf(entries: readonly (readonly [string, Requirement])[]): readonly string[] {
  return entries.map(([id]) => id);
}

function isShown(id: string, rule: Requirement, { claims, page }: GateInput): boolean {
  return (
    claims.tested.has(id) ||
    (rule.proof !== undefined && (page(rule.proof.docs)?.includes(rule.proof.words ?? id) ?? false))
  );
}

function describe(rule: Requirement): string {
  const how = rule.proof === undefined ? '' : ` (to be stated in ${rule.proof.docs})`;
  return `${rule.who} ${rule.level}, ${rule.section}: ${rule.rule}${how}`;
}

/** A title and the ids, in lines that a terminal can hold; nothing if there are none. */
function block(title: string, ids: readonly string[]): readonly string[] {
  const lines = ids.length === 0 ? [] : [`  ${title}:`];
  for (const id of ids) {
    const last = lines.pop() ?? '';
    if (last.length + id.length > 118) lines.push(last, `    ${id}`);
    else lines.push(`${last} ${id}`);
  }
  return lines;
}
