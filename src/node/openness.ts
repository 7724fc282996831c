import { consoleLog } from '../observe/console-log.ts';
import { Check } from '../server/check.ts';
import type { HandlerSettings } from '../server/handler-options.ts';
import { STRANGERS_ARE, type Strangers } from '../server/strangers.ts';
import { publicBy } from './reach.ts';

const REACHED_BY = {
  host: 'can be reached by others',
  publicUrl: 'says that others can reach the agent',
  trustProxy: 'says that others can reach the agent through a proxy',
} as const;

/**
 * Requires `auth` or `insecurePublic` where others can reach the server.
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
  check.fault(setting, `${REACHED_BY[option]}: set auth, or insecurePublic: true to admit anonymous callers`);
  check.finish('serve() cannot use these options:');
}

/** Tells the log who may call without `auth`. Who has said so himself is only told where it matters to others. */
export function tellOfStrangers(settings: HandlerSettings, host: string, strangers: Strangers): void {
  const { auth, insecurePublic, publicUrl, trustProxy, log = consoleLog } = settings;
  if (auth !== undefined || (insecurePublic && publicBy({ host, publicUrl, trustProxy }) === undefined)) return;
  if (strangers === 'neighbours') log.info('No auth is set: every program on this machine may call this agent');
  else log.warn(`No auth is set: ${STRANGERS_ARE[strangers]}`);
}
