import { isLoopback } from '../support/net/loopback.ts';
import { consoleLog } from '../observe/console-log.ts';
import { Check } from '../support/check.ts';
import type { HandlerSettings } from '../server/options/handler-options.ts';
import { warnOfAnonymousAccess, type AnonymousAccess } from '../host/options/anonymous-access.ts';

export interface ExposureOptions {
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
}

/**
 * The option that shows that other machines can reach the server; undefined if none does. A server on a loopback address is public if
 * a proxy forwards requests to it, which a public URL or `trustProxy` implies.
 */
export function publicBy({ host, publicUrl, trustProxy }: ExposureOptions): keyof ExposureOptions | undefined {
  if (!isLoopback(host)) return 'host';
  if (publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)) return 'publicUrl';
  return trustProxy ? 'trustProxy' : undefined;
}

const REACHED_BY = {
  host: 'makes the agent reachable from other machines',
  publicUrl: 'declares that other machines can reach the agent',
  trustProxy: 'declares that other machines can reach the agent through a proxy',
} as const;

/**
 * Requires `auth` or `insecurePublic` if other machines can reach the server.
 *
 * @param hostSetting The setting that chose the host, for the error.
 * @throws TypeError
 */
export function requireAuth(
  { auth, insecurePublic, publicUrl, trustProxy }: HandlerSettings,
  host: string,
  hostSetting: 'host' | 'BIND_HOST',
): void {
  const option = publicBy({ host, publicUrl, trustProxy });
  if (auth !== undefined || insecurePublic || option === undefined) return;
  const check = new Check();
  const setting = option === 'host' ? hostSetting : option;
  check.fault(setting, `${REACHED_BY[option]}: set auth, or insecurePublic: true to accept anonymous callers`);
  check.finish('Invalid options for serve():');
}

/** Logs who can call without `auth`. With `insecurePublic` it logs only if other machines can reach the server. */
export function logAnonymousAccess(settings: HandlerSettings, host: string, anonymousAccess: AnonymousAccess): void {
  const { auth, insecurePublic, publicUrl, trustProxy, log = consoleLog } = settings;
  if (auth !== undefined || (insecurePublic && publicBy({ host, publicUrl, trustProxy }) === undefined)) return;
  if (anonymousAccess === 'local')
    log.info('Authentication is not configured: every program on this machine can call this agent');
  else warnOfAnonymousAccess(log, anonymousAccess);
}
