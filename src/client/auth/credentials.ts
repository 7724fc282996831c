import type { AgentCard } from '../../model/card.ts';
import { type Auth, type OneAuth, strategyOf } from './auth.ts';
import type { AuthContext, BuiltInStrategy, HeadersRecord } from './strategy.ts';
import type { Deadline } from '../request/deadline.ts';
import type { TokenTools } from './token-endpoint.ts';

/** One of the credentials. */
interface Candidate {
  readonly strategy: BuiltInStrategy;
  /** How often it was renewed. A call that was rejected with an older generation does not renew it again. */
  generation: number;
  renewal: Promise<boolean> | undefined;
}

/** The credentials that one operation has tried so far. */
export class AuthAttempt {
  readonly credentials: Credentials;
  /** The card of the agent; undefined while the card itself is requested. */
  readonly card: AgentCard | undefined;
  /** The credentials in use. */
  candidate: Candidate | undefined;
  generation = 0;
  readonly renewed = new Set<Candidate>();
  readonly refused = new Set<Candidate>();

  constructor(credentials: Credentials, card: AgentCard | undefined) {
    this.credentials = credentials;
    this.card = card;
  }

  /** An attempt with these credentials, if there are any. */
  static of(credentials: Credentials | undefined, card: AgentCard | undefined): AuthAttempt | undefined {
    return credentials === undefined ? undefined : new AuthAttempt(credentials, card);
  }
}

/** The credentials of one client. Switches to the next ones after a 401. */
export class Credentials {
  readonly #candidates: readonly Candidate[];
  /** The credentials that were accepted last. */
  #current: Candidate | undefined;

  constructor(auth: Auth, tools: TokenTools) {
    const all = isList(auth) ? auth : [auth];
    this.#candidates = all.map((one) => ({ strategy: strategyOf(one, tools), generation: 0, renewal: undefined }));
    this.#current = this.#candidates[0];
  }

  /** The headers for a request. @throws The error of the strategy; `renew` then returns whether to try other credentials. */
  headers(context: AuthContext, attempt: AuthAttempt, deadline: Deadline): HeadersRecord | Promise<HeadersRecord> {
    const candidate = attempt.candidate ?? this.#current;
    if (candidate === undefined) return {};
    attempt.candidate = candidate;
    attempt.generation = candidate.generation;
    return candidate.strategy.headers(context, deadline);
  }

  /** The query parameters of the credentials in use. Must be called after `headers`. */
  query(context: AuthContext, { candidate }: AuthAttempt): Readonly<Record<string, string>> | undefined {
    return candidate?.strategy.query?.(context);
  }

  /** Called after a 401. Renews the rejected credentials, once per call, else switches to the next. False if all were rejected. */
  async renew(context: AuthContext, attempt: AuthAttempt): Promise<boolean> {
    const { candidate, generation } = attempt;
    if (candidate === undefined) return false;
    const isFirst = !attempt.renewed.has(candidate);
    attempt.renewed.add(candidate);
    if (isFirst && (await renewed(candidate, generation, context))) return true;
    attempt.refused.add(candidate);
    return this.#switch(attempt);
  }

  /** Tries the list in a circle, because credentials that were rejected earlier may be valid now. */
  #switch(attempt: AuthAttempt): boolean {
    const all = this.#candidates;
    const from = all.findIndex((each) => each === attempt.candidate);
    const next = [...all.slice(from + 1), ...all.slice(0, from)].find((each) => !attempt.refused.has(each));
    if (next === undefined) return false;
    attempt.candidate = next;
    this.#current = next;
    return true;
  }
}

/** Concurrent calls that were rejected with the same credentials share one renewal. */
async function renewed(candidate: Candidate, refused: number, context: AuthContext): Promise<boolean> {
  if (refused < candidate.generation) return true;
  candidate.renewal ??= renewNow(candidate, context).finally(() => (candidate.renewal = undefined));
  return candidate.renewal;
}

async function renewNow(candidate: Candidate, context: AuthContext): Promise<boolean> {
  const isNew = (await candidate.strategy.refresh?.(context)) ?? false;
  if (isNew) candidate.generation++;
  return isNew;
}

function isList(auth: Auth): auth is readonly OneAuth[] {
  return Array.isArray(auth);
}
