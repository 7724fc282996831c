import { networkOf } from '../support/net/network-of.ts';
import type { Log } from './log.ts';

/**
 * A rejected request or an action of an operator, recorded for later review. A record never contains credentials or the
 * content of messages.
 */
export interface AuditRecord {
  /** When it happened, in ISO 8601. */
  readonly time: string;
  /** `rejected` for a rejected request, `done` for an action of an operator. */
  readonly outcome: 'rejected' | 'done';
  /**
   * For `rejected` the error code, such as `UNAUTHENTICATED`, or `CALL_REJECTED` for a call of a handler to another agent. For `done`
   * the action: `redelivery`, `authorization`, `release` or `purge`.
   */
  readonly reason: string;
  /** The caller of the request, if known. For `authorization` and `purge`: the owner of the task or of the deleted data. */
  readonly caller?: string;
  /** For `purge`: the tenant of the deleted data. Not set for data without a tenant. */
  readonly tenant?: string;
  /** The IP address of the client, if the connection or a trusted proxy reports it. */
  readonly address?: string;
  /** The A2A operation, such as `SendMessage`. */
  readonly operation?: string;
  /** The binding of the request, such as `JSONRPC` or `HTTP+JSON`. */
  readonly binding?: string;
  /** The id of the task concerned. */
  readonly taskId?: string;
  /** The value of the header `X-Request-Id`. */
  readonly requestId?: string;
  /** The trace id of the request: 32 hexadecimal digits. */
  readonly traceId?: string;
  /** The path of the request without its query, because a query may contain a key. */
  readonly path?: string;
  /**
   * The cause in more detail: `invalid_token`, or the name of a missing scope, an exceeded limit or a guard, such as `cycle` for agents
   * that call each other in a cycle. For `redelivery`: the id of the push config. For `purge`: the number of deleted tasks.
   */
  readonly detail?: string;
}

/** Stores an audit record, synchronously or not. An error it throws is logged and does not affect the request. */
export type Audit = (record: AuditRecord) => void | Promise<void>;

/** The members of a record that depend on the request. */
export type AuditFacts = Partial<Omit<AuditRecord, 'time' | 'outcome' | 'reason'>>;

/** Passes records to the configured `audit` function, or writes them to the log if there is none. */
export class AuditTrail {
  readonly #audit: Audit;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #lines: RejectionLines | undefined;

  constructor(audit: Audit | undefined, log: Log, now: () => number = Date.now) {
    const lines = audit === undefined ? new RejectionLines(log, now) : undefined;
    this.#audit = audit ?? ((record) => toLog(log, record, lines));
    this.#lines = lines;
    this.#log = log;
    this.#now = now;
  }

  /** Logs the number of rejections that were counted but not logged. */
  close(): void {
    this.#lines?.flush();
  }

  /** Records a rejected request or call. */
  rejected(reason: string, facts: AuditFacts): void {
    this.#write('rejected', reason, facts);
  }

  /** Records an action of an operator. */
  done(act: string, facts: AuditFacts): void {
    this.#write('done', act, facts);
  }

  #write(outcome: AuditRecord['outcome'], reason: string, facts: AuditFacts): void {
    const failed = (error: unknown): void => this.#log.warn('Could not write audit record', { reason, error });
    try {
      const taken = this.#audit({ time: new Date(this.#now()).toISOString(), outcome, reason, ...facts });
      if (taken instanceof Promise) taken.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

function toLog(log: Log, record: AuditRecord, lines: RejectionLines | undefined): void {
  if (record.outcome === 'done') log.info('Operator action', { ...record });
  else lines?.write(record);
}

/** The maximum number of log lines about rejections per address, level and minute. */
const MAX_LINES = 10;
const WINDOW_MS = 60_000;
/** The maximum number of addresses that are counted separately. All further addresses share one counter. */
const MAX_ADDRESSES = 10_000;

interface Window {
  readonly level: 'info' | 'warn';
  readonly address: string | undefined;
  readonly since: number;
  lines: number;
  /** The number of rejections that were not logged, by reason. */
  readonly others: Map<string, number>;
}

/**
 * Writes rejections to the log. Anonymous callers can cause them at the speed of the network, so each address gets at most ten
 * lines per minute. Further rejections of that minute become one line with a count, written at the next rejection after the minute.
 */
class RejectionLines {
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
      this.#log[window.level]('Request rejected', { ...record });
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
      this.#log[level]('Further rejections', {
        ...(address !== undefined && { address }),
        count,
        reasons: Object.fromEntries(others),
        since: new Date(since).toISOString(),
      });
    }
  }
}
