import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import { isPrivateHost } from '../support/private-address.ts';
import { decodeCard } from '../wire/card-forms.ts';
import type { DecodedCard } from '../wire/read-card.ts';
import { parseVersion } from '../wire/version.ts';
import { BINDINGS } from './options.ts';

/** Something about a card that is wrong, or unwise. */
export interface CardProblem {
  /** Where: `supportedInterfaces[0].url`. Empty for the card itself. */
  readonly path: string;
  /** An `error` keeps clients out, or some of them; a `warning` is understood all the same. */
  readonly severity: 'error' | 'warning';
  readonly problem: string;
  readonly fix: string;
}

/** What a card says, as far as it can be read, and all that is wrong with it. */
export interface CardReport {
  /** Undefined if it cannot be read at all. */
  readonly card: AgentCard | undefined;
  readonly problems: readonly CardProblem[];
}

/** See `entry.ts`. */
export function inspectCard(json: unknown, found?: string | URL): CardReport {
  const lenient = read(json, false);
  const violations = read(json, true).problems.map((problem): CardProblem => ({ ...problem, severity: 'warning' }));
  if (lenient.decoded === undefined) return { card: undefined, problems: lenient.problems };
  const { value: card } = lenient.decoded;
  const problems = [...violations, ...addressProblems(card, found), ...skillProblems(card), ...securityProblems(card)];
  return {
    card,
    problems: problems.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning')),
  };
}

function read(json: unknown, strict: boolean): { decoded: DecodedCard | undefined; problems: readonly CardProblem[] } {
  try {
    return { decoded: decodeCard(json, { strict }), problems: [] };
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    const found = error.violations.length > 0 ? error.violations : [{ field: '', description: error.message }];
    const problems = found.map(({ field, description }): CardProblem => {
      const fix = field === '' ? 'Publish a card of A2A 1.0' : fixOf(field, description.replace(/^expected /, ''));
      return { path: field, severity: 'error', problem: description, fix };
    });
    return { decoded: undefined, problems };
  }
}

function fixOf(field: string, expected: string): string {
  return expected.startsWith('the member ') ? `Add ${field}` : `Set ${field} to ${expected}`;
}

function* addressProblems({ supportedInterfaces }: AgentCard, found: string | URL | undefined): Generator<CardProblem> {
  for (const [i, { url, protocolBinding, protocolVersion }] of supportedInterfaces.entries()) {
    const at = `supportedInterfaces[${i}]`;
    const path = `${at}.url`;
    if (!URL.canParse(url)) {
      const problem = url === '' ? 'the address is empty' : `${JSON.stringify(url)} is no whole address`;
      yield { path, severity: 'error', problem, fix: 'Set it to the public address, with https:// before it' };
    } else {
      yield* hostProblems(path, new URL(url), found === undefined ? undefined : new URL(found));
    }
    if (parseVersion(protocolVersion) === undefined) {
      const fix = 'Set it to a version such as 1.0';
      yield {
        path: `${at}.protocolVersion`,
        severity: 'error',
        problem: `${protocolVersion} is no version of A2A`,
        fix,
      };
    } else if (!/^\d+\.\d+$/.test(protocolVersion)) {
      const fix = 'Leave the patch number away (1.0 §3.6)';
      yield {
        path: `${at}.protocolVersion`,
        severity: 'warning',
        problem: `${protocolVersion} has a patch number`,
        fix,
      };
    }
    const isKnown = [...BINDINGS, 'GRPC'].includes(protocolBinding) || URL.canParse(protocolBinding);
    if (!isKnown) {
      const fix = 'Set it to JSONRPC, HTTP+JSON, GRPC or the URI of a binding of your own (1.0 §5.8)';
      yield { path: `${at}.protocolBinding`, severity: 'error', problem: `nobody knows ${protocolBinding}`, fix };
    }
  }
}

function* hostProblems(path: string, url: URL, found: URL | undefined): Generator<CardProblem> {
  if (isPrivateHost(url.hostname)) {
    if (found !== undefined && isPrivateHost(found.hostname)) return;
    const severity = found === undefined ? 'warning' : 'error';
    yield { path, severity, problem: `${url.host} is a private address`, fix: 'Set the public address of the agent' };
  } else if (url.protocol === 'http:') {
    yield { path, severity: 'warning', problem: 'the address is not encrypted', fix: 'Serve the agent over https' };
  }
}

function* skillProblems({ skills, name }: AgentCard): Generator<CardProblem> {
  if (name.trim() === '')
    yield { path: 'name', severity: 'warning', problem: 'the name is empty', fix: 'Give it a name' };
  if (skills.length === 0) {
    yield {
      path: 'skills',
      severity: 'warning',
      problem: 'there are no skills',
      fix: 'Describe what the agent can do',
    };
  }
  const seen = new Set<string>();
  for (const [i, { id }] of skills.entries()) {
    const path = `skills[${i}].id`;
    if (seen.has(id))
      yield { path, severity: 'error', problem: `${id} is the id of two skills`, fix: 'Choose another' };
    seen.add(id);
  }
}

function* securityProblems({ securityRequirements = [], securitySchemes = {} }: AgentCard): Generator<CardProblem> {
  for (const [i, { schemes }] of securityRequirements.entries()) {
    for (const name of Object.keys(schemes)) {
      if (Object.hasOwn(securitySchemes, name)) continue;
      const path = `securityRequirements[${i}].schemes.${name}`;
      const fix = `Add ${name} to securitySchemes`;
      yield { path, severity: 'error', problem: `${name} is required and not described`, fix };
    }
  }
}
