import { systemClock } from '../time/clock.ts';
import { globalFetch } from './create-http-client.ts';
import { type Fetch, FetchClient } from './fetch-client.ts';
import { withinTime } from './time-limit.ts';

const MAX_BYTES = 2 ** 20;

/**
 * Fetches a JSON document of at most 1 MiB. Redirects are not followed, because they could lead to an untrusted host.
 *
 * @throws Error if the response has another status than 200, is not JSON, or takes too long.
 */
export async function fetchJson(url: string, timeoutMs: number, fetch: Fetch = globalFetch): Promise<unknown> {
  const http = new FetchClient(fetch);
  try {
    return await withinTime(systemClock, timeoutMs, undefined, async (signal) => {
      const headers = { accept: 'application/json' };
      const response = await http.call({ method: 'GET', url: new URL(url), headers, signal, guarded: false });
      if (response.status !== 200) throw new Error(`${url} responded with status ${response.status}`);
      return JSON.parse(await response.text(MAX_BYTES)) as unknown;
    });
  } finally {
    await http.close();
  }
}
