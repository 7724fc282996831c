import { consoleLog } from '../../observe/console-log.ts';
import type { Log } from '../../observe/log.ts';
import { safeLog } from '../../observe/safe-log.ts';
import { isHostedProduction } from '../auth/hosted.ts';

/**
 * How anonymous callers are treated without `auth`:
 *
 * - `local`: accepted and trusted as one owner, because only local programs are expected to reach the agent.
 * - `public`: accepted but not trusted, because they may come from anywhere. They cannot list tasks.
 * - `denied`: rejected with 503 until the operator configures `auth`.
 */
export type AnonymousAccess = 'local' | 'public' | 'denied';

/** The options that decide how anonymous callers are treated. */
interface AnonymousSettings {
  readonly auth?: object | undefined;
  readonly insecurePublic: boolean;
  readonly log?: Log | undefined;
}

/**
 * In production the agent rejects every call unless `auth` or `insecurePublic` is set. This also applies to a loopback address,
 * because a proxy on the same machine can forward requests of others to it.
 */
export function anonymousAccessFor({ auth, insecurePublic }: AnonymousSettings): AnonymousAccess {
  if (auth !== undefined) return 'denied';
  return insecurePublic ? 'public' : isHostedProduction() ? 'denied' : 'local';
}

/** Logs how anonymous callers are treated, because a mounted handler does not know who can reach it. */
export function anonymousAccessAtMount(settings: AnonymousSettings): AnonymousAccess {
  const { auth, log = consoleLog } = settings;
  const anonymousAccess = anonymousAccessFor(settings);
  if (auth === undefined) warnOfAnonymousAccess(safeLog(log), anonymousAccess);
  return anonymousAccess;
}

export function warnOfAnonymousAccess(log: Log, anonymousAccess: AnonymousAccess): void {
  switch (anonymousAccess) {
    case 'local':
      log.warn(
        'Authentication is not configured: every caller that can reach this agent is accepted. In production every call is rejected until auth or insecurePublic is set',
      );
      break;
    case 'public':
      log.warn('Authentication is not configured: every caller that can reach this agent is accepted');
      break;
    case 'denied':
      log.warn(
        'Authentication is not configured: every call is rejected in production. Set auth, or insecurePublic: true to accept anonymous callers',
      );
      break;
  }
}
