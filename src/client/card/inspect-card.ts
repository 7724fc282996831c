import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { isPrivateHost } from '../../support/net/private-address.ts';
import { decodeCard } from '../../wire/card/served/card-forms.ts';
import type { DecodedCard } from '../../wire/card/read-card.ts';
import { parseVersion } from '../../wire/version.ts';
import { BINDINGS } from '../options.ts';

/** A problem of an agent card. */
export interface CardProblem {
  /** The member: `supportedInterfaces[0].url`. Empty for the card itself. */
  readonly path: string;
  /** With an `error`, some or all clients cannot use the agent. A `warning` does not prevent that. */
  readonly severity: 'error' | 'warning';
  /** The problem, as a short phrase. */
  readonly problem: string;
  /** How to fix it, as a short instruction. */
  readonly fix: string;
}

/** The result of `inspectCard()`. */
export interface CardReport {
  /** The card in the 1.0 format. Undefined if it could not be decoded. */
  readonly card: AgentCard | undefined;
  /** All problems, errors first. Empty for a card without problems. */
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
      const fix = field === '' ? 'Publish an A2A 1.0 card' : fixOf(field, description.replace(/^expected /, ''));
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
      const problem = url === '' ? 'the URL is empty' : `${JSON.stringify(url)} is not an absolute URL`;
      yield { path, severity: 'error', problem, fix: 'Set it to the public URL of the agent, starting with https://' };
    } else {
      yield* hostProblems(path, new URL(url), found === undefined ? undefined : new URL(found));
    }
    if (parseVersion(protocolVersion) === undefined) {
      const fix = 'Set it to a version such as 1.0';
      yield {
        path: `${at}.protocolVersion`,
        severity: 'error',
        problem: `${JSON.stringify(protocolVersion)} is not a version of A2A`,
        fix,
      };
    } else if (!/^\d+\.\d+$/.test(protocolVersion)) {
      const fix = 'Remove the patch number (A2A 1.0 §3.6)';
      yield {
        path: `${at}.protocolVersion`,
        severity: 'warning',
        problem: `${protocolVersion} has a patch number`,
        fix,
      };
    }
    const isKnown = [...BINDINGS, 'GRPC'].includes(protocolBinding) || URL.canParse(protocolBinding);
    if (!isKnown) {
      const fix = 'Set it to JSONRPC, HTTP+JSON, GRPC or the URI of a custom binding (A2A 1.0 §5.8)';
      const problem = `${JSON.stringify(protocolBinding)} is not a known binding`;
      yield { path: `${at}.protocolBinding`, severity: 'error', problem, fix };
    }
  }
}

function* hostProblems(path: string, url: URL, found: URL | undefined): Generator<CardProblem> {
  if (isPrivateHost(url.hostname)) {
    if (found !== undefined && isPrivateHost(found.hostname)) return;
    const severity = found === undefined ? 'warning' : 'error';
    yield { path, severity, problem: `${url.host} is a private address`, fix: 'Set it to the public URL of the agent' };
  } else if (url.protocol === 'http:') {
    yield { path, severity: 'warning', problem: 'the URL does not use https', fix: 'Serve the agent over https' };
  }
}

function* skillProblems({ skills, name }: AgentCard): Generator<CardProblem> {
  if (name.trim() === '')
    yield { path: 'name', severity: 'warning', problem: 'the name is empty', fix: 'Set it to the name of the agent' };
  if (skills.length === 0) {
    yield {
      path: 'skills',
      severity: 'warning',
      problem: 'the card lists no skills',
      fix: 'Add at least one skill that describes what the agent can do',
    };
  }
  const seen = new Set<string>();
  for (const [i, { id }] of skills.entries()) {
    const path = `skills[${i}].id`;
    if (seen.has(id))
      yield {
        path,
        severity: 'error',
        problem: `two skills have the id ${JSON.stringify(id)}`,
        fix: 'Change one of them',
      };
    seen.add(id);
  }
}

function* securityProblems({ securityRequirements = [], securitySchemes = {} }: AgentCard): Generator<CardProblem> {
  for (const [i, { schemes }] of securityRequirements.entries()) {
    for (const name of Object.keys(schemes)) {
      if (Object.hasOwn(securitySchemes, name)) continue;
      const path = `securityRequirements[${i}].schemes.${name}`;
      const fix = `Add ${name} to securitySchemes`;
      yield { path, severity: 'error', problem: `${name} is required but not in securitySchemes`, fix };
    }
  }
}
