import { type AgentClient, operationClientOf } from '../client/client.ts';
import type { OperationClient } from '../client/request/operation-client.ts';
import { A2AError, type ErrorCode } from '../errors.ts';
import { onAbort } from '../support/on-abort.ts';
import { toPeerError } from './peer-error.ts';

/** Errors with which a peer that has moved or was replaced rejects a request before it acts on it. */
const OUTDATED: ReadonlySet<ErrorCode> = new Set(['DISCOVERY_FAILED', 'VERSION_NOT_SUPPORTED', 'METHOD_NOT_FOUND']);

/** A client of a peer that is in use. Its user must release it. */
export interface UsedClient {
  readonly client: AgentClient;
  readonly operations: OperationClient;
  /** Whether the peer has streams, as far as its card and its responses show. */
  hasStreams: boolean;
  /**
   * Called with the error of a request. Returns true if the card may be outdated: it was read for an earlier attempt, and the peer does not
   * know what it describes. The next attempt reads it again.
   */
  doubt(error: unknown): boolean;
  release(): void;
}

interface OpenClient {
  readonly client: AgentClient;
  readonly operations: OperationClient;
  hasStreams: boolean;
  /** Whether an earlier attempt has used it. */
  isUsed: boolean;
  users: number;
  isRetired: boolean;
}

/** Connects to a peer when it is first used, and again if its card is outdated. All requests share one client. */
export class PeerConnection {
  readonly #name: string;
  readonly #connect: () => Promise<AgentClient>;
  readonly #isOwner: boolean;
  #opening: Promise<OpenClient> | undefined;

  /** @param isOwner Whether the clients are closed when they are no longer needed. */
  constructor(name: string, connect: () => Promise<AgentClient>, isOwner: boolean) {
    this.#name = name;
    this.#connect = connect;
    this.#isOwner = isOwner;
  }

  /** @throws PeerError for which nothing was sent; the reason of the signal. */
  async use(signal: AbortSignal): Promise<UsedClient> {
    const opening = (this.#opening ??= this.#open());
    const open = await within(opening, signal);
    const isFirst = !open.isUsed;
    open.isUsed = true;
    open.users++;
    return {
      client: open.client,
      operations: open.operations,
      get hasStreams() {
        return open.hasStreams;
      },
      set hasStreams(hasStreams: boolean) {
        open.hasStreams = hasStreams;
      },
      doubt: (error) => {
        if (!A2AError.is(error) || !OUTDATED.has(error.code)) return false;
        this.#retire(opening, open);
        return !isFirst;
      },
      release: () => {
        open.users--;
        this.#closeIdle(open);
      },
    };
  }

  /** Closes the client as soon as no request uses it. */
  async close(): Promise<void> {
    const opening = this.#opening;
    const open = await opening?.catch(() => undefined);
    if (opening !== undefined && open !== undefined) this.#retire(opening, open);
  }

  async #open(): Promise<OpenClient> {
    try {
      const client = await this.#connect();
      const operations = operationClientOf(client);
      const hasStreams = operations.card.capabilities.streaming === true;
      return { client, operations, hasStreams, isUsed: false, users: 0, isRetired: false };
    } catch (error) {
      // The next attempt connects again.
      this.#opening = undefined;
      throw toPeerError(this.#name, error, true);
    }
  }

  #retire(opening: Promise<OpenClient>, open: OpenClient): void {
    if (this.#opening === opening) this.#opening = undefined;
    if (open.isRetired) return;
    open.isRetired = true;
    this.#closeIdle(open);
  }

  #closeIdle({ client, users, isRetired }: OpenClient): void {
    if (this.#isOwner && isRetired && users === 0) void client.close().catch(() => {});
  }
}

/** Waits for work that others may wait for, too. @throws The reason of the signal as soon as it aborts. */
async function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = onAbort(signal, () => reject(signal.reason as Error));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}
