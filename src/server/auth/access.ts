import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import { systemClock } from '../../support/clock.ts';
import { LoneTimers } from '../../support/lone-timers.ts';
import { TimerHeap } from '../../support/timer-heap.ts';
import type { Timers } from '../../support/timers.ts';
import { type AccessSettings, DEFAULT_ACCESS } from '../access-options.ts';
import type { Cors } from '../cors.ts';
import type { EventFrames } from '../event-frames.ts';
import { anonymous, type Identify, identifyBy, nobody } from '../identify.ts';
import type { FailedLogins } from '../limits/failed-logins.ts';
import type { Strangers } from '../strangers.ts';
import type { Authenticator, ServedAt } from './authenticator.ts';
import { Challenges } from './challenges.ts';
import { EndingFrames } from './ending-frames.ts';
import { requireScopes } from './scopes.ts';

export interface AccessRules extends ServedAt {
  readonly auth: readonly Authenticator[] | undefined;
  readonly access: AccessSettings | undefined;
  /** What becomes of callers whom nobody knows, without `auth`. */
  readonly strangers: Strangers;
  /** See `AnonymousOptions`. */
  readonly rejectCrossSite?: boolean | undefined;
  /** The origins whose pages may call. */
  readonly cors?: Pick<Cors, 'choosesOrigin'> | undefined;
  /** Slows down who guesses. */
  readonly logins: FailedLogins;
  /** Whether timers may end with the request that set them. */
  readonly serverless?: object | undefined;
}

/** Who may call an agent, and what becomes of those who may not. */
export class Access {
  readonly identify: Identify;
  readonly #challenges: Challenges;
  readonly #settings: AccessSettings;
  readonly #listsForStrangers: boolean;
  readonly #timers: Timers;

  constructor(rules: AccessRules) {
    const { auth, access = DEFAULT_ACCESS, publicUrl, strangers, rejectCrossSite, cors, logins, serverless } = rules;
    this.#timers = serverless === undefined ? new TimerHeap(systemClock) : new LoneTimers(systemClock);
    this.#settings = access;
    this.#challenges = new Challenges(auth ?? []);
    this.#listsForStrangers = auth === undefined && strangers === 'neighbours';
    if (auth !== undefined) this.identify = logins.before(identifyBy({ authenticators: auth, publicUrl, logins }));
    else
      this.identify =
        strangers === 'refused' ? nobody : anonymous({ strangers, rejectCrossSite, allowsOrigin: cors?.choosesOrigin });
  }

  get protectsCard(): boolean {
    return this.#settings.protectCard;
  }

  /** Headers that tell a refused caller what is missing. */
  readonly challenge = (error: A2AError): Readonly<Record<string, string>> | undefined =>
    this.#challenges.headers(error);

  /**
   * Whether a caller may use the agent at all. Asked when he is known and counted, so that a refusal has his name, and before
   * his body is read.
   *
   * @throws A2AError `PERMISSION_DENIED`
   */
  requireUse(caller: Caller): void {
    requireScopes(caller, this.#settings.requiredScopes);
  }

  /**
   * All strangers are one owner, so a list would show each the tasks of all; whoever has the id of a task was given it.
   *
   * @throws A2AError `PERMISSION_DENIED`
   */
  requireListing({ isVerified }: Caller): void {
    if (isVerified || this.#listsForStrangers) return;
    throw new A2AError('PERMISSION_DENIED', 'This agent lists tasks for callers that it knows: keep the ids of yours');
  }

  /** A stream that ends when its caller's credentials do, so that he comes back with new ones. */
  whileKnown(frames: EventFrames, { expiresAt }: Caller): AsyncIterable<string> {
    if (expiresAt === undefined) return frames;
    return new EndingFrames(frames, expiresAt + this.#settings.streamGraceMs, this.#timers);
  }

  close(): void {
    this.#timers.clear();
  }
}
