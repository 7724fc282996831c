import { isStreaming, type OperationName } from '../../model/operation.ts';

/** What can be asked of a peer: an operation of the protocol, or its card. */
export type Asked = OperationName | 'card';

/** The connection is lost without an answer. */
export interface DropFault {
  readonly fault: 'drop';
  /**
   * `before-acting`: nothing has happened. `before-answering` (if not set): the peer has done what it was asked to, and
   * nobody learns of it. `while-answering`: half of the answer arrives.
   */
  readonly when?: 'before-acting' | 'before-answering' | 'while-answering';
}

/** The answer comes late: after so many milliseconds of the peer's clock, or when the promise resolves. */
export interface DelayFault {
  readonly fault: 'delay';
  readonly ms?: number;
  readonly until?: Promise<unknown>;
}

/** Another answer instead; the peer does nothing. With 503 and `retryAfterS` it asks to come back. */
export interface StatusFault {
  readonly fault: 'status';
  readonly status: number;
  readonly retryAfterS?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The peer acts and never answers; in a stream it falls silent after so many events. */
export interface SilenceFault {
  readonly fault: 'silence';
  readonly afterEvents?: number;
}

/** The answer says that it is something else. */
export interface ContentTypeFault {
  readonly fault: 'content-type';
  readonly contentType: string;
}

/** The answer, or the first event of a stream, has at least so many bytes. It is valid JSON all the same. */
export interface OversizedFault {
  readonly fault: 'oversized';
  readonly bytes: number;
}

/** The answer, or the first event of a stream, is not JSON: its last character is missing. */
export interface MalformedFault {
  readonly fault: 'malformed-json';
}

/** A stream ends too early. */
export interface CutFault {
  readonly fault: 'cut-stream';
  readonly afterEvents: number;
  /** `broken` (if not set): the connection breaks. `inside-event`: amid the next event. `clean`: as if that were all. */
  readonly how?: 'broken' | 'inside-event' | 'clean';
  /** How many events happen that nobody sees: the task goes on by so many while the reader is away. */
  readonly missed?: number;
}

/** One event of a stream comes twice. */
export interface DuplicateFault {
  readonly fault: 'duplicate-event';
  /** Which one, counted from 1. */
  readonly event: number;
}

/** One event of a stream comes after the next one. */
export interface ReorderFault {
  readonly fault: 'reorder-events';
  /** Which one, counted from 1. */
  readonly event: number;
}

export type StreamFault = CutFault | DuplicateFault | ReorderFault;

/** Something that goes wrong, and when. */
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
  /** What it happens to. If not set: any operation, but not the card; faults of streams happen to streams. */
  readonly on?: Asked;
  /** How often, 1 if not set. `Infinity`: always. */
  readonly times?: number;
};

const OF_STREAMS: ReadonlySet<Fault['fault']> = new Set<StreamFault['fault']>([
  'cut-stream',
  'duplicate-event',
  'reorder-events',
]);

/** The faults that are still to happen. A request takes the first that is meant for it, and no other. */
export class FaultPlan {
  #waiting: { readonly fault: Fault; left: number }[] = [];

  /** @throws TypeError for a fault of streams on something that does not stream. */
  add(fault: Fault): void {
    const { on, times = 1 } = fault;
    if (OF_STREAMS.has(fault.fault) && on !== undefined && (on === 'card' || !isStreaming(on))) {
      throw new TypeError(`${fault.fault} happens to streams: on must be SendStreamingMessage or SubscribeToTask`);
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
