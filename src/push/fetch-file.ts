import type { Log } from '../observe/log.ts';
import type { Clock } from '../support/clock.ts';
import { PrivateAddressError } from '../support/guarded-lookup.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import { type AddressGuard, AddressRefused, type Admitted, NOT_OURS } from './address-guard.ts';
import { withinTime } from './time-limit.ts';
import { BodyTooLarge, type OutboundAnswer, type OutboundTransport } from './transport.ts';

export interface FileFetcherParts {
  readonly guard: AddressGuard;
  readonly transport: OutboundTransport;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_DISCARDED_BYTES = 64 * 1024;
const HEADERS = Object.freeze({ 'user-agent': `tandem-a2a/${PACKAGE_VERSION}`, 'accept-encoding': 'identity' });

/** Gets files that strangers name by their address. Sends no credentials to anybody. */
export class FileFetcher {
  readonly #parts: FileFetcherParts;

  constructor(parts: FileFetcherParts) {
    this.#parts = parts;
  }

  /** @throws AddressRefused, TimeLimitPassed, BodyTooLarge, or an error that says what was answered. */
  readonly fetch = (
    address: string,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> => {
    const { clock, timeoutMs } = this.#parts;
    const maxBytes = Math.min(options.maxBytes, this.#parts.maxBytes);
    return withinTime(clock, timeoutMs, options.signal, async (signal) => {
      const answer = await this.#follow(address, signal).catch((error: unknown) => {
        throw error instanceof PrivateAddressError ? this.#refused(error) : error;
      });
      try {
        return await contentOf(answer, maxBytes);
      } catch (error) {
        answer.discard(0);
        throw error;
      }
    });
  };

  close(): void {
    this.#parts.transport.close();
  }

  /** Where a name leads to is for the log: the handler may tell its caller, who is a stranger to our network. */
  #refused(error: PrivateAddressError): AddressRefused {
    this.#parts.log.warn('A file was not fetched: its address leads to a private network', { error });
    return new AddressRefused(NOT_OURS);
  }

  /** Every address on the way is looked at like the first. */
  async #follow(address: string, signal: AbortSignal): Promise<OutboundAnswer> {
    const { guard, transport } = this.#parts;
    let admitted: Admitted = guard.admit(address);
    for (let redirects = 0; ; redirects++) {
      const answer = await transport.call({ method: 'GET', ...admitted, headers: HEADERS, signal });
      const location = REDIRECTS.has(answer.status) ? answer.header('location') : undefined;
      if (location === undefined) return answer;
      answer.discard(MAX_DISCARDED_BYTES);
      if (redirects === MAX_REDIRECTS) throw new Error(`The file was redirected more than ${MAX_REDIRECTS} times`);
      admitted = guard.admit(URL.canParse(location, admitted.url.href) ? new URL(location, admitted.url) : location);
    }
  }
}

async function contentOf(answer: OutboundAnswer, maxBytes: number): Promise<Uint8Array> {
  if (answer.status !== 200) throw new Error(`The address of the file answered ${answer.status}`);
  const encoding = answer.header('content-encoding') ?? 'identity';
  // What is small on the way may be huge when it is unpacked.
  if (encoding !== 'identity') throw new Error('The file came packed, which nobody asked for');
  if (Number(answer.header('content-length')) > maxBytes) throw new BodyTooLarge(maxBytes);
  return answer.bytes(maxBytes);
}
