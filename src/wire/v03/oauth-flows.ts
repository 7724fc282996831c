import type { SecurityRequirement, SecurityScheme } from '../../model/security.ts';
import type { Decoder } from '../decoder.ts';
import { type Flow, FLOWS } from './security.ts';

/**
 * Before 1.0 an OAuth scheme can have several flows, and any of them meets a requirement for the scheme. 1.0 requires
 * one scheme per flow. So `oauth` with two flows becomes the schemes `oauth` and `oauth.clientCredentials`, and a
 * requirement for `oauth` becomes two alternatives. Encoding joins these schemes again.
 */

/** The schemes of a card by name, grouped by the original scheme. */
export type SchemeGroups = Readonly<Record<string, readonly SecurityScheme[]>>;
export type Schemes = Readonly<Record<string, SecurityScheme>>;
export type Requirements = readonly SecurityRequirement[];

interface SplitFlows {
  readonly schemes: Schemes;
  /** The same requirements with the new names. */
  expand(d: Decoder, requirements: Requirements): Requirements;
}

export function splitFlows(groups: SchemeGroups): SplitFlows {
  const schemes = new Map<string, SecurityScheme>();
  const namesOf = new Map<string, readonly string[]>();
  let collisions = 1;
  // Existing names are not replaced: the first flows of all schemes get their names before the others.
  for (const [name, [first]] of Object.entries(groups)) if (first !== undefined) schemes.set(name, first);
  for (const [name, [, ...others]] of Object.entries(groups)) {
    if (others.length === 0) continue;
    const names = others.map((scheme) => {
      const usual = `${name}.${flowOf(scheme)}`;
      let split = usual;
      // A counter that never repeats, so that deliberately colliding names cost no more than others.
      while (schemes.has(split)) split = `${usual}.${++collisions}`;
      schemes.set(split, scheme);
      return split;
    });
    namesOf.set(name, [name, ...names]);
  }

  // Alternatives multiply: ten schemes of four flows in one requirement would be a million. The limit applies to the
  // whole card.
  let written = 0;
  function expandOne(d: Decoder, requirement: SecurityRequirement): Requirements {
    const split = Object.keys(requirement.schemes)
      .filter((name) => namesOf.has(name))
      .toSorted();
    if (split.length === 0) return [requirement];
    const size = split.reduce((product, name) => product * (namesOf.get(name)?.length ?? 1), 1);
    written += size * Object.keys(requirement.schemes).length;
    if (written > d.limits.maxItems) {
      d.violate(`requirements with at most ${d.limits.maxItems} alternatives`);
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
    expand: (d, requirements) => requirements.flatMap((requirement) => expandOne(d, requirement)),
  };
}

interface MergedFlows {
  readonly groups: SchemeGroups;
  readonly lists: readonly Requirements[];
}

/**
 * Joins the schemes that `splitFlows` has split, with the given lists of requirements. Schemes with matching names stay
 * separate if a list requires a single flow, because the other flows of a joined scheme would meet that requirement,
 * too.
 */
export function mergeFlows(schemes: Schemes, lists: readonly Requirements[]): MergedFlows {
  const groups = new Map<string, readonly SecurityScheme[]>(
    Object.entries(schemes).map(([name, scheme]) => [name, [scheme]]),
  );
  let current = lists;
  // In the reverse order of splitting.
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

/** The name and those that splitting would have derived from it. */
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

/**
 * Joins consecutive alternatives that differ only in the flow. Returns `undefined` if a flow occurs without the others.
 */
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

/** Whether two OAuth schemes differ only in their flows. */
function areAlike(a: SecurityScheme, b: SecurityScheme): boolean {
  if (!('oauth2SecurityScheme' in a && 'oauth2SecurityScheme' in b)) return false;
  const [{ description, oauth2MetadataUrl }, other] = [a.oauth2SecurityScheme, b.oauth2SecurityScheme];
  return description === other.description && oauth2MetadataUrl === other.oauth2MetadataUrl;
}
