import type { A2AError } from '../../errors.ts';
import { encodeSse } from '../../wire/sse/sse-encoder.ts';
import type { FrameWriter } from './event-frames.ts';

/** The text that a binding adds around each event, and its encoding of errors. */
export interface Envelope {
  readonly before: string;
  readonly after: string;
  /** The event name of errors, if they have one. */
  readonly errorName?: string;
  error(error: unknown): unknown;
  /** The wire form of an error that the caller may see as it is. */
  failure(error: A2AError): unknown;
}

const INTERRUPTED = ': stream interrupted, reconnect with Last-Event-ID\nretry: 1000\n\n';

/** Writes events as `text/event-stream`. The public number of an event is its `id`. */
export class SseFrames implements FrameWriter<string> {
  readonly #envelope: Envelope;
  #text = '';

  constructor(envelope: Envelope) {
    this.#envelope = envelope;
  }

  get size(): number {
    return this.#text.length;
  }

  /** JSON has no line breaks, so one `data` line is enough. */
  event(json: string, number: number | undefined): void {
    const { before, after } = this.#envelope;
    const head = number === undefined ? 'data: ' : `id: ${number}\ndata: `;
    this.#text += `${head}${before}${json}${after}\n\n`;
  }

  failure(error: A2AError, number: number): void {
    this.#error(this.#envelope.failure(error), { id: String(number) });
  }

  error(error: unknown): void {
    this.#error(this.#envelope.error(error), {});
  }

  interrupted(): void {
    this.#text += INTERRUPTED;
  }

  take(): string | undefined {
    const text = this.#text;
    this.#text = '';
    return text === '' ? undefined : text;
  }

  #error(encoded: unknown, id: { readonly id?: string }): void {
    const { errorName } = this.#envelope;
    const data = JSON.stringify(encoded);
    this.#text += encodeSse({ data, ...id, ...(errorName !== undefined && { event: errorName }) });
  }
}
