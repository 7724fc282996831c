import type { SecurityRequirement, SecurityScheme } from '../../model/security.ts';
import type { Reader } from '../reader.ts';
import { type Flow, FLOWS } from './security.ts';

/**
 * Before 1.0 an OAuth scheme may offer several flows, and a requirement that names it is met by any of them. 1.0 wants
 * one scheme per flow. So `oauth` with two flows becomes the schemes `oauth` and `oauth.clientCredentials`, and a
 * requirement that names `oauth` becomes two alternatives. What was taken apart this way is put together again.
 */

/** The schemes of a card by name, in groups of those that are (or were) one scheme with several flows. */
export type SchemeGroups = Readonly<Record<string, readonly SecurityScheme[]>>;
export type Schemes = Readonly<Record<string, SecurityScheme>>;
export type Requirements = readonly SecurityRequirement[];

interface SplitFlows {
  readonly schemes: Schemes;
  /** The same requirements in terms of the new names. */
  expand(r: Reader, requirements: Requirements): Requirements;
}

export function splitFlows(groups: SchemeGroups): SplitFlows {
  const schemes = new Map<string, SecurityScheme>();
  const namesOf = new Map<string, readonly string[]>();
  let collisions = 1;
  // Names that are taken stay with their owners: all first flows before any other.
  for (const [name, [first]] of Object.entries(groups)) if (first !== undefined) schemes.set(name, first);
  for (const [name, [, ...others]] of Object.entries(groups)) {
    if (others.length === 0) continue;
    const names = others.map((scheme) => {
      const usual = `${name}.${flowOf(scheme)}`;
      let split = usual;
      // A number, and never the same one twice: names that collide on purpose cost no more than others.
      while (schemes.has(split)) split = `${usual}.${++collisions}`;
      schemes.set(split, scheme);
      return split;
    });
    namesOf.set(name, [name, ...names]);
  }

  // Alternatives multiply: ten schemes of four flows in one requirement would be a million. One bound for the whole card.
  let written = 0;
  function expandOne(r: Reader, requirement: SecurityRequirement): Requirements {
    const split = Object.keys(requirement.schemes)
      .filter((name) => namesOf.has(name))
      .toSorted();
    if (split.length === 0) return [requirement];
    const size = split.reduce((product, name) => product * (namesOf.get(name)?.length ?? 1), 1);
    written += size * Object.keys(requirement.schemes).length;
    if (written > r.limits.maxItems) {
      r.violate(`requirements of at most ${r.limits.maxItems} alternatives`);
      return [requirement];
    }
    return split.reduce<Requirements>(
      (alternatives, name) =>
        alternatives.flatMap((one) => (namesOf.get(name) ?? []).map((variant) => rename(one, name, variant))),
      [requirement],
    );
  }

  return {
    schemes: Object.fromEntries(schemes),
    expand: (r, requirements) => requirements.flatMap((requirement) => expandOne(r, requirement)),
  };
}

interface MergedFlows {
  readonly groups: SchemeGroups;
  readonly lists: readonly Requirements[];
}

/**
 * Puts together again what `splitFlows` took apart, with the given lists of requirements. Schemes which only look like
 * that stay apart: if one list asks for a single flow, a scheme with several would be met by the others as well.
 */
export function mergeFlows(schemes: Schemes, lists: readonly Requirements[]): MergedFlows {
  const groups = new Map<string, readonly SecurityScheme[]>(
    Object.entries(schemes).map(([name, scheme]) => [name, [scheme]]),
  );
  let current = lists;
  // Opposite to the order of splitting.
  for (const name of [...groups.keys()].toSorted().toReversed()) {
    const names = splitNames(name, groups);
    if (names.length === 1) continue;
    const collapsed = current.map((requirements) => collapse(requirements, names));
    if (!collapsed.every((requirements) => requirements !== undefined)) continue;
    current = collapsed;
    const together = names.flatMap((each) => groups.get(each) ?? []);
    for (const each of names.slice(1)) groups.delete(each);
    groups.set(name, together);
  }
  return { groups: Object.fromEntries(groups), lists: current };
}

/** The name and those that splitting would have made from it. */
function splitNames(name: string, groups: ReadonlyMap<string, readonly SecurityScheme[]>): readonly string[] {
  const [first, ...more] = groups.get(name) ?? [];
  const firstFlow = first && flowOf(first);
  if (first === undefined || firstFlow === undefined || more.length > 0) return [name];
  const others = FLOWS.slice(FLOWS.indexOf(firstFlow) + 1)
    .map((flow) => [flow, `${name}.${flow}`] as const)
    .filter(([flow, split]) => {
      const [scheme, ...rest] = groups.get(split) ?? [];
      return scheme !== undefined && rest.length === 0 && flowOf(scheme) === flow && areAlike(first, scheme);
    });
  return [name, ...others.map(([, split]) => split)];
}

/** The list with each run of alternatives that differ only in the flow as one; `undefined` if a flow stands alone. */
function collapse(requirements: Requirements, [name = '', ...others]: readonly string[]): Requirements | undefined {
  const out: SecurityRequirement[] = [];
  for (let i = 0; i < requirements.length; i++) {
    const requirement = requirements[i] as SecurityRequirement;
    out.push(requirement);
    if (others.some((other) => Object.hasOwn(requirement.schemes, other))) return undefined;
    if (!Object.hasOwn(requirement.schemes, name)) continue;
    for (const other of others) {
      const next = requirements[++i];
      if (next === undefined || fingerprint(next) !== fingerprint(rename(requirement, name, other))) return undefined;
    }
  }
  return out;
}

function rename({ schemes }: SecurityRequirement, from: string, to: string): SecurityRequirement {
  return {
    schemes: Object.fromEntries(Object.entries(schemes).map(([name, list]) => [name === from ? to : name, list])),
  };
}

function fingerprint({ schemes }: SecurityRequirement): string {
  const names = Object.keys(schemes).toSorted();
  return JSON.stringify(names.map((name) => [name, schemes[name]?.list ?? []]));
}

/** The flow of an OAuth scheme, if the dialects before 1.0 have it. */
export function flowOf(scheme: SecurityScheme): Flow | undefined {
  return 'oauth2SecurityScheme' in scheme ? FLOWS.find((flow) => flow in scheme.oauth2SecurityScheme.flows) : undefined;
}

/** Whether two OAuth schemes differ in nothing but their flows. */
function areAlike(a: SecurityScheme, b: SecurityScheme): boolean {
  if (!('oauth2SecurityScheme' in a && 'oauth2SecurityScheme' in b)) return false;
  const [{ description, oauth2MetadataUrl }, other] = [a.oauth2SecurityScheme, b.oauth2SecurityScheme];
  return description === other.description && oauth2MetadataUrl === other.oauth2MetadataUrl;
}
