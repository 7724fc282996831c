import { isStreaming, type OperationName } from '../../model/operation.ts';

/** The target of a request: an operation of the protocol, or the card. */
export type Asked = OperationName | 'card';

/** The connection breaks without a response. */
export interface DropFault {
  /** Always `drop`. */
  readonly fault: 'drop';
  /**
   * `before-acting`: the peer did not process the request. `before-answering` (default): the peer processed the request, but sends no
   * response. `while-answering`: half of the response arrives.
   */
  readonly when?: 'before-acting' | 'before-answering' | 'while-answering';
}

/** The response is late. */
export interface DelayFault {
  /** Always `delay`. */
  readonly fault: 'delay';
  /** The delay in milliseconds of the peer's clock. */
  readonly ms?: number;
  /** Delays the response until the promise resolves. */
  readonly until?: Promise<unknown>;
}

/** The peer responds with this status and does not process the request. */
export interface StatusFault {
  /** Always `status`. */
  readonly fault: 'status';
  /** The HTTP status. */
  readonly status: number;
  /** The `Retry-After` header in seconds. */
  readonly retryAfterS?: number;
  /** Further headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the response; empty if not set. */
  readonly body?: string;
}

/** The peer processes the request and never responds, or stops sending in a stream. */
export interface SilenceFault {
  /** Always `silence`. */
  readonly fault: 'silence';
  /** In a stream: the number of events before the silence. If not set, the peer does not respond at all. */
  readonly afterEvents?: number;
}

/** The response has another content type. */
export interface ContentTypeFault {
  /** Always `content-type`. */
  readonly fault: 'content-type';
  /** The content type of the response. */
  readonly contentType: string;
}

/** The response, or the first event of a stream, has at least this many bytes. It is still valid JSON. */
export interface OversizedFault {
  /** Always `oversized`. */
  readonly fault: 'oversized';
  /** The minimum size in bytes. */
  readonly bytes: number;
}

/** The response, or the first event of a stream, is not valid JSON: its last character is missing. */
export interface MalformedFault {
  /** Always `malformed-json`. */
  readonly fault: 'malformed-json';
}

/** A stream ends too early. */
export interface CutFault {
  /** Always `cut-stream`. */
  readonly fault: 'cut-stream';
  /** The number of events before the end. */
  readonly afterEvents: number;
  /** `broken` (default): the connection breaks. `inside-event`: it breaks within the next event. `clean`: the stream just ends. */
  readonly how?: 'broken' | 'inside-event' | 'clean';
  /** How many further events of the task happen while the subscriber is disconnected. Default: 0. */
  readonly missed?: number;
}

/** One event of a stream is sent twice. */
export interface DuplicateFault {
  /** Always `duplicate-event`. */
  readonly fault: 'duplicate-event';
  /** The position of the event in the stream, counted from 1. */
  readonly event: number;
}

/** One event of a stream is sent after the next one. */
export interface ReorderFault {
  /** Always `reorder-events`. */
  readonly fault: 'reorder-events';
  /** The position of the event in the stream, counted from 1. */
  readonly event: number;
}

/** A fault that applies only to streams. */
export type StreamFault = CutFault | DuplicateFault | ReorderFault;

/**
 * A fault to inject, and the requests that it applies to.
 *
 * @example { fault: 'status', status: 503, retryAfterS: 1, on: 'SendMessage', times: 2 }
 */
export type Fault = (
  | DropFault
  | DelayFault
  | StatusFault
  | SilenceFault
  | ContentTypeFault
  | OversizedFault
  | MalformedFault
  | StreamFault
) & {
  /** The operation, or `card`. If not set: all operations but not the card; for stream faults, all streaming operations. */
  readonly on?: Asked;
  /** How many requests it applies to. Default: 1. `Infinity`: all. */
  readonly times?: number;
};

const OF_STREAMS: ReadonlySet<Fault['fault']> = new Set<StreamFault['fault']>([
  'cut-stream',
  'duplicate-event',
  'reorder-events',
]);

/** The pending faults. Each request takes the first one that applies to it. */
export class FaultPlan {
  #waiting: { readonly fault: Fault; left: number }[] = [];

  /** @throws TypeError for a stream fault on an operation that does not stream. */
  add(fault: Fault): void {
    const { on, times = 1 } = fault;
    if (OF_STREAMS.has(fault.fault) && on !== undefined && (on === 'card' || !isStreaming(on))) {
      throw new TypeError(
        `on: expected SendStreamingMessage or SubscribeToTask for the fault ${fault.fault}, got ${JSON.stringify(on)}`,
      );
    }
    this.#waiting.push({ fault, left: times });
  }

  take(asked: Asked): Fault | undefined {
    const entry = this.#waiting.find(({ fault }) => isMeantFor(fault, asked));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#waiting = this.#waiting.filter((each) => each !== entry);
    return entry.fault;
  }
}

function isMeantFor({ fault, on }: Fault, asked: Asked): boolean {
  if (on !== undefined) return on === asked;
  if (asked === 'card') return false;
  return !OF_STREAMS.has(fault) || isStreaming(asked);
}
