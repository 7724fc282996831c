import { isLoopback } from '../support/loopback.ts';

/** Where a server is, as those see it who call it. */
export interface Place {
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
}

/**
 * The option by which others than this machine can reach a server; undefined if none says so. Who listens to this machine
 * alone is reached by all the world through a proxy on it: an address of the world, or a proxy to trust, tells of one.
 */
export function publicBy({ host, publicUrl, trustProxy }: Place): keyof Place | undefined {
  if (!isLoopback(host)) return 'host';
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)) return 'publicUrl';
  return trustProxy ? 'trustProxy' : undefined;
}
