import { NodeTransport } from '../client/transport/node-transport.ts';
import { Trust } from '../client/trust.ts';
import { CliError } from './cli-error.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/**
 * Fetches a file that an agent has only named. It is a stranger's address: no credentials go there, no redirect is
 * followed, and it must not lead to a private network, unless the user has named its origin.
 */
export async function fetchFile(address: string, allowed: readonly string[]): Promise<Uint8Array> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw new CliError('failure', `${address} is no address to fetch a file from`);
  const trust = new Trust(allowed);
  trust.check(url);
  const transport = new NodeTransport(process);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await transport.call({
      method: 'GET',
      url,
      headers: { accept: '*/*' },
      signal,
      guarded: !trust.includes(url),
    });
    if (response.status !== 200) throw new CliError('failure', `${address} answered ${response.status}`);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.chunks()) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new CliError('failure', `${address} has more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof CliError || !(error instanceof Error)) throw error;
    throw new CliError('unreachable', `${address} cannot be fetched: ${error.message}`, { cause: error });
  } finally {
    transport.close();
  }
}
