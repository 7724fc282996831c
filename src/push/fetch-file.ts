import type { Log } from '../observe/log.ts';
import type { Clock } from '../support/time/clock.ts';
import { PrivateAddressError } from '../support/net/guarded-lookup.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import { type AddressGuard, AddressRejected, type Admitted, ADDRESS_NOT_ALLOWED } from './address-guard.ts';
import { withinTime } from './time-limit.ts';
import { BodyTooLarge, type OutboundResponse, type OutboundTransport } from './transport.ts';

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

/** Fetches files from URLs supplied by callers. Sends no credentials. */
export class FileFetcher {
  readonly #parts: FileFetcherParts;

  constructor(parts: FileFetcherParts) {
    this.#parts = parts;
  }

  /** @throws AddressRejected, TimeLimitPassed, BodyTooLarge, or an error with the status of the response. */
  readonly fetch = (
    address: string,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> => {
    const { clock, timeoutMs } = this.#parts;
    const maxBytes = Math.min(options.maxBytes, this.#parts.maxBytes);
    return withinTime(clock, timeoutMs, options.signal, async (signal) => {
      const response = await this.#follow(address, signal).catch((error: unknown) => {
        throw error instanceof PrivateAddressError ? this.#rejected(error) : error;
      });
      try {
        return await contentOf(response, maxBytes);
      } catch (error) {
        response.discard(0);
        throw error;
      }
    });
  };

  close(): void {
    this.#parts.transport.close();
  }

  /** Logs the resolved address and hides it from the handler, which may pass the message on to its caller. */
  #rejected(error: PrivateAddressError): AddressRejected {
    this.#parts.log.warn('Did not fetch file: its URL resolves to a private network', { error });
    return new AddressRejected(ADDRESS_NOT_ALLOWED);
  }

  /** The guard checks the target of every redirect like the first URL. */
  async #follow(address: string, signal: AbortSignal): Promise<OutboundResponse> {
    const { guard, transport } = this.#parts;
    let admitted: Admitted = guard.admit(address);
    for (let redirects = 0; ; redirects++) {
      const response = await transport.call({ method: 'GET', ...admitted, headers: HEADERS, signal });
      const location = REDIRECTS.has(response.status) ? response.header('location') : undefined;
      if (location === undefined) return response;
      response.discard(MAX_DISCARDED_BYTES);
      if (redirects === MAX_REDIRECTS) throw new Error(`The file URL redirected more than ${MAX_REDIRECTS} times`);
      admitted = guard.admit(URL.canParse(location, admitted.url.href) ? new URL(location, admitted.url) : location);
    }
  }
}

async function contentOf(response: OutboundResponse, maxBytes: number): Promise<Uint8Array> {
  if (response.status !== 200) throw new Error(`The file server responded with status ${response.status}`);
  const encoding = response.header('content-encoding') ?? 'identity';
  // A small compressed body can expand to a huge one.
  if (encoding !== 'identity')
    throw new Error('The file server sent a compressed file, although the request allows none');
  if (Number(response.header('content-length')) > maxBytes) throw new BodyTooLarge(maxBytes);
  return response.bytes(maxBytes);
}
