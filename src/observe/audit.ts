import type { Log } from './log.ts';

/**
 * Something that who answers for the agent wants to know of later: that somebody was refused, or that an operator did
 * something. It holds no credentials, and nothing of what was said.
 */
export interface AuditRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly outcome: 'refused' | 'done';
  /** Why it was refused, as the code of an error: `UNAUTHENTICATED`; or what was done: `redelivery`, `authorization`. */
  readonly reason: string;
  /** Who asked, if he is known; whose task it is that was authorized. */
  readonly caller?: string;
  /** Where the request came from, as far as the connection tells. */
  readonly address?: string;
  readonly operation?: string;
  readonly binding?: string;
  readonly taskId?: string;
  /** What the request calls itself, in `X-Request-Id`. */
  readonly requestId?: string;
  readonly traceId?: string;
  /** The path of the request, without its query, which may hold a key. */
  readonly path?: string;
  /** What was wrong, missing or exceeded: `invalid_token`, a scope, a limit, a guard; or what was sent again. */
  readonly detail?: string;
}

/** Takes the records, at once or later. What it throws is logged, and changes nothing. */
export type Audit = (record: AuditRecord) => void | Promise<void>;

export type AuditFacts = Partial<Omit<AuditRecord, 'time' | 'outcome' | 'reason'>>;

/** Writes the records. Without anybody who takes them they go to the log. */
export class AuditTrail {
  readonly #audit: Audit;
  readonly #log: Log;
  readonly #now: () => number;

  constructor(audit: Audit | undefined, log: Log, now: () => number = Date.now) {
    this.#audit = audit ?? ((record) => toLog(log, record));
    this.#log = log;
    this.#now = now;
  }

  refused(reason: string, facts: AuditFacts): void {
    this.#write('refused', reason, facts);
  }

  /** An administrative act. */
  done(act: string, facts: AuditFacts): void {
    this.#write('done', act, facts);
  }

  #write(outcome: AuditRecord['outcome'], reason: string, facts: AuditFacts): void {
    const failed = (error: unknown): void => this.#log.warn('A record for the audit was lost', { reason, error });
    try {
      const taken = this.#audit({ time: new Date(this.#now()).toISOString(), outcome, reason, ...facts });
      if (taken instanceof Promise) taken.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** Who has brought no credentials is probably new here, and not worth a warning. */
function toLog(log: Log, record: AuditRecord): void {
  const { outcome, reason, detail } = record;
  if (outcome === 'done') log.info('Done', { ...record });
  else if (reason === 'UNAUTHENTICATED' && detail === undefined) log.info('Refused', { ...record });
  else log.warn('Refused', { ...record });
}
