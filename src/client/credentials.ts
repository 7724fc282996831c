import { type Auth, type AuthContext, type HeadersRecord, type OneAuth, type OwnStrategy, strategyOf } from './auth.ts';
import type { Deadline } from './deadline.ts';
import type { TokenTools } from './token-endpoint.ts';

/** One of the credentials, and how often it was renewed. */
interface Candidate {
  readonly strategy: OwnStrategy;
  /** Who was refused with an older one need not ask for a newer. */
  generation: number;
  renewal: Promise<boolean> | undefined;
}

/** What one call has tried so far. */
export class AuthAttempt {
  /** The one that it uses. */
  candidate: Candidate | undefined;
  generation = 0;
  readonly renewed = new Set<Candidate>();
  readonly refused = new Set<Candidate>();
}

/** The credentials of one client: which of them is in use, and what to do when it is refused. */
export class Credentials {
  readonly #candidates: readonly Candidate[];
  /** The one that was right the last time. */
  #current: Candidate | undefined;

  constructor(auth: Auth, tools: TokenTools) {
    const all = isList(auth) ? auth : [auth];
    this.#candidates = all.map((one) => ({ strategy: strategyOf(one, tools), generation: 0, renewal: undefined }));
    this.#current = this.#candidates[0];
  }

  /** The headers for a request. @throws what the strategy does; `renew` then says whether another is worth a try. */
  headers(context: AuthContext, attempt: AuthAttempt, deadline: Deadline): HeadersRecord | Promise<HeadersRecord> {
    const candidate = attempt.candidate ?? this.#current;
    if (candidate === undefined) return {};
    attempt.candidate = candidate;
    attempt.generation = candidate.generation;
    return candidate.strategy.headers(context, deadline);
  }

  /** What the one in use adds to the address of a request; asked for after the headers. */
  query(context: AuthContext, { candidate }: AuthAttempt): Readonly<Record<string, string>> | undefined {
    return candidate?.strategy.query?.(context);
  }

  /** Called after a 401. Renews what was refused, once in a call; else goes on to the next. False if all were refused. */
  async renew(context: AuthContext, attempt: AuthAttempt): Promise<boolean> {
    const { candidate, generation } = attempt;
    if (candidate === undefined) return false;
    const isFirst = !attempt.renewed.has(candidate);
    attempt.renewed.add(candidate);
    if (isFirst && (await renewed(candidate, generation, context))) return true;
    attempt.refused.add(candidate);
    return this.#goOn(attempt);
  }

  /** Round and round, for one that was refused yesterday may be right today. */
  #goOn(attempt: AuthAttempt): boolean {
    const all = this.#candidates;
    const from = all.findIndex((each) => each === attempt.candidate);
    const next = [...all.slice(from + 1), ...all.slice(0, from)].find((each) => !attempt.refused.has(each));
    if (next === undefined) return false;
    attempt.candidate = next;
    this.#current = next;
    return true;
  }
}

/** Many calls may be refused at once: what they were refused with is renewed once. */
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
