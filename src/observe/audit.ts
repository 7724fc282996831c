import { networkOf } from '../support/network-of.ts';
import type { Log } from './log.ts';

/**
 * Something that who answers for the agent wants to know of later: that somebody was refused, or that an operator did
 * something. It holds no credentials, and nothing of what was said.
 */
export interface AuditRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly outcome: 'refused' | 'done';
  /** Why it was refused, as the code of an error: `UNAUTHENTICATED`; or what was done: `redelivery`, `authorization`, `purge`. */
  readonly reason: string;
  /** The caller that asked, if known; the owner of the task that was authorized, or of the data that were deleted. */
  readonly caller?: string;
  /** The tenant whose data of the caller were deleted. Not set for data without a tenant. */
  readonly tenant?: string;
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
  /** What was wrong, missing or exceeded: `invalid_token`, a scope, a limit, a guard; what was sent again; or how many tasks were deleted. */
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
  readonly #lines: RefusalLines | undefined;

  constructor(audit: Audit | undefined, log: Log, now: () => number = Date.now) {
    const lines = audit === undefined ? new RefusalLines(log, now) : undefined;
    this.#audit = audit ?? ((record) => toLog(log, record, lines));
    this.#lines = lines;
    this.#log = log;
    this.#now = now;
  }

  /** Logs the number of refusals that were counted but not logged. */
  close(): void {
    this.#lines?.flush();
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

function toLog(log: Log, record: AuditRecord, lines: RefusalLines | undefined): void {
  if (record.outcome === 'done') log.info('Done', { ...record });
  else lines?.write(record);
}

/** The maximum number of log lines about refusals per address, level and minute. */
const MAX_LINES = 10;
const WINDOW_MS = 60_000;
/** The maximum number of addresses that are counted separately. All further addresses share one counter. */
const MAX_ADDRESSES = 10_000;

interface Window {
  readonly level: 'info' | 'warn';
  readonly address: string | undefined;
  readonly since: number;
  lines: number;
  /** The number of refusals that were not logged, by reason. */
  readonly others: Map<string, number>;
}

/**
 * Writes refusals to the log. Anonymous callers can cause them at the speed of the network, so each address gets at most ten
 * lines per minute. The rest of that minute becomes one line with a count, written at the next refusal after the minute.
 */
class RefusalLines {
  readonly #log: Log;
  readonly #now: () => number;
  /** Keyed by level and network, oldest first. */
  readonly #windows = new Map<string, Window>();

  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  write(record: AuditRecord): void {
    const now = this.#now();
    this.#endWindows((since) => Math.abs(now - since) >= WINDOW_MS);
    const window = this.#windowOf(record, now);
    if (window.lines < MAX_LINES) {
      window.lines++;
      this.#log[window.level]('Refused', { ...record });
    } else window.others.set(record.reason, (window.others.get(record.reason) ?? 0) + 1);
  }

  flush(): void {
    this.#endWindows(() => true);
  }

  #windowOf({ reason, detail, address }: AuditRecord, now: number): Window {
    // Missing credentials are usually a misconfigured new caller, not an attack.
    const level = reason === 'UNAUTHENTICATED' && detail === undefined ? 'info' : 'warn';
    const network = address === undefined || this.#windows.size >= MAX_ADDRESSES ? undefined : networkOf(address);
    const key = `${level} ${network ?? ''}`;
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = { level, address: network, since: now, lines: 0, others: new Map() };
      this.#windows.set(key, window);
    }
    return window;
  }

  #endWindows(isOver: (since: number) => boolean): void {
    for (const [key, { level, address, since, others }] of this.#windows) {
      if (!isOver(since)) return;
      this.#windows.delete(key);
      if (others.size === 0) continue;
      const count = [...others.values()].reduce((sum, each) => sum + each, 0);
      this.#log[level]('Further refusals', {
        ...(address !== undefined && { address }),
        count,
        reasons: Object.fromEntries(others),
        since: new Date(since).toISOString(),
      });
    }
  }
}
