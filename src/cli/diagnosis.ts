import { whereaboutsOf } from '../client/card-places.ts';
import type { AgentClient } from '../client/client.ts';
import { connect, tryDiscover } from '../client/connect.ts';
import type { Chosen } from '../client/endpoint.ts';
import { type CardProblem, inspectCard } from '../client/inspect-card.ts';
import type { ConnectOptions } from '../client/options.ts';
import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { Warning } from '../wire/reader.ts';
import type { AgentReference } from './agent-reference.ts';
import { now } from './now.ts';
import { oneLine } from './screen.ts';

/** What was found out about an agent. Null is for what could not be found out. */
export interface Diagnosis {
  /** Whether anybody answers, and how soon or why not. */
  readonly reachable: boolean;
  readonly reachableWhy: string;
  /** Whether we may talk to it: that is another question. */
  readonly authorised: boolean | null;
  readonly authorisedWhy: string;
  readonly card: AgentCard | null;
  readonly cardUrl: string | null;
  readonly chosen: Chosen | null;
  readonly problems: readonly CardProblem[];
  readonly warnings: readonly Warning[];
  /** Why there is no way to talk to it, although somebody is there. */
  readonly trouble: string | null;
}

const NOTHING: Diagnosis = {
  reachable: false,
  reachableWhy: '',
  authorised: null,
  authorisedWhy: 'nobody to ask',
  card: null,
  cardUrl: null,
  chosen: null,
  problems: [],
  warnings: [],
  trouble: null,
};

/** Looks at an agent from all sides, without sending it a message. */
export async function diagnose(reference: AgentReference, options: ConnectOptions): Promise<Diagnosis> {
  const start = now();
  let agent: AgentClient;
  try {
    agent = await connect(reference.target, options);
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return diagnoseFailure(reference, error);
  }
  try {
    const reachableWhy = `answered in ${Math.round(now() - start)} ms`;
    const found = await originalCard(reference, options);
    const { problems } = found === undefined ? { problems: [] } : inspectCard(found.json, found.url ?? undefined);
    const facts = { reachable: true, reachableWhy, card: agent.card, cardUrl: found?.url ?? null, problems };
    const answer = await probe(agent);
    // Whoever is not where its card says may have been found elsewhere in the meantime.
    const { chosen } = agent;
    const known = new Set(problems.map(({ path }) => path));
    const warnings = agent.warnings.filter(({ field }) => !known.has(field));
    return { ...NOTHING, ...facts, ...answer, chosen, warnings };
  } finally {
    await agent.close();
  }
}

/** The card as it was written, before anybody put it into the words of 1.0. */
async function originalCard(
  { target }: AgentReference,
  options: ConnectOptions,
): Promise<{ readonly json: unknown; readonly url: string | null } | undefined> {
  if (typeof target !== 'string') return { json: target, url: null };
  const found = await tryDiscover(target, options).catch(() => null);
  return found === null ? undefined : { json: found.raw, url: found.url };
}

/** Asks for a task that nobody has. Whoever is told so has been let in. */
async function probe(agent: AgentClient): Promise<Partial<Diagnosis>> {
  try {
    await agent.get(`tandem-doctor-${crypto.randomUUID()}`);
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    const why = oneLine(error.message);
    switch (error.code) {
      case 'UNAUTHENTICATED':
      case 'PERMISSION_DENIED':
        return { authorised: false, authorisedWhy: why };
      case 'TRANSPORT_FAILED':
      case 'TIMEOUT':
        return { reachable: false, reachableWhy: why };
      case 'DISCOVERY_FAILED':
      case 'INVALID_AGENT_RESPONSE':
        return { authorisedWhy: 'no answer that could be understood', trouble: why };
      default:
        break;
    }
  }
  return { authorised: true, authorisedWhy: 'a question about a task was answered' };
}

async function diagnoseFailure({ target }: AgentReference, error: A2AError): Promise<Diagnosis> {
  const why = oneLine(error.message);
  const isAuth = error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED';
  if (isAuth) return { ...NOTHING, reachable: true, reachableWhy: 'answered', authorised: false, authorisedWhy: why };
  const isLost = error.code === 'TRANSPORT_FAILED' || error.code === 'TIMEOUT';
  if (isLost) return { ...NOTHING, reachableWhy: why };
  const found = typeof target === 'string' ? await whatIsThere(error.details['url']) : { json: target, url: null };
  const problems = found === undefined ? [] : inspectCard(found.json, found.url ?? undefined).problems;
  return {
    ...NOTHING,
    reachable: true,
    reachableWhy: 'answered',
    authorisedWhy: 'without a card nobody knows whom to ask',
    cardUrl: found?.url ?? null,
    problems,
    trouble: why,
  };
}

const LOOK_MS = 10_000;

/** Whatever is JSON at a place where a card should be. */
async function whatIsThere(address: string | undefined): Promise<{ json: unknown; url: string } | undefined> {
  if (address === undefined) return undefined;
  for (const { url } of whereaboutsOf(new URL(address), undefined).cards) {
    try {
      const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(LOOK_MS) });
      if (response.ok) return { json: await response.json(), url };
    } catch {
      // Then it is no card.
    }
  }
  return undefined;
}
