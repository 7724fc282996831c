import type { Log } from '../observe/log.ts';
import { BodyTooLarge } from '../support/bytes.ts';
import {
  type HttpClient,
  type OutboundResponse,
  redirectOf,
  TransportFailure,
} from '../support/http-client/http-client.ts';
import { withinTime } from '../support/http-client/time-limit.ts';
import type { Clock } from '../support/time/clock.ts';
import { PrivateAddressError } from '../support/net/guarded-lookup.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import { type AddressGuard, AddressRejected, type Admitted, ADDRESS_NOT_ALLOWED } from './address-guard.ts';

export interface FileFetcherParts {
  readonly guard: AddressGuard;
  readonly http: HttpClient;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_REDIRECTS = 3;
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
        throw error instanceof TransportFailure ? this.#unreached(error) : error;
      });
      try {
        return await contentOf(response, maxBytes);
      } catch (error) {
        response.close();
        throw error;
      }
    });
  };

  close(): void {
    void this.#parts.http.close();
  }

  /** Logs the resolved address and hides it from the handler, which may pass the message on to its caller. */
  #unreached(failure: TransportFailure): Error {
    const { cause: error } = failure;
    if (!(error instanceof PrivateAddressError)) return failure;
    this.#parts.log.warn('Did not fetch file: its URL resolves to a private network', { error });
    return new AddressRejected(ADDRESS_NOT_ALLOWED);
  }

  /** The guard checks the target of every redirect like the first URL. */
  async #follow(address: string, signal: AbortSignal): Promise<OutboundResponse> {
    const { guard, http } = this.#parts;
    let { url, isTrusted }: Admitted = guard.admit(address);
    for (let redirects = 0; ; redirects++) {
      const response = await http.call({ method: 'GET', url, guarded: !isTrusted, headers: HEADERS, signal });
      const location = redirectOf(response, 'GET');
      if (location === undefined) return response;
      response.discard();
      if (redirects === MAX_REDIRECTS) throw new Error(`The file URL redirected more than ${MAX_REDIRECTS} times`);
      ({ url, isTrusted } = guard.admit(URL.canParse(location, url.href) ? new URL(location, url) : location));
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
