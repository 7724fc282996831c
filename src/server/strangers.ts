import { consoleLog } from '../observe/console-log.ts';
import { safeLog } from '../observe/safe-log.ts';
import { isHostedProduction } from './auth/hosted.ts';
import type { HandlerSettings } from './handler-options.ts';

/**
 * What becomes of callers whom nobody knows, where no `auth` is set. `neighbours` are let in, and all are one, for only who is
 * at home here can be one; of `admitted` ones nobody knows where they come from; `refused` ones are told to come later.
 */
export type Strangers = 'neighbours' | 'admitted' | 'refused';

/** As the log says it. */
export const STRANGERS_ARE: Readonly<Record<Strangers, string>> = {
  neighbours:
    'everybody who can reach it may call this agent. In production nobody may then: set auth, or insecurePublic',
  admitted: 'everybody who can reach it may call this agent',
  refused: 'nobody may call this agent in production. Set auth to say who may, or insecurePublic: true for everybody',
};

/**
 * Where agents run for others they are closed unless somebody has said who may come in, or that everybody may. That counts on
 * this machine, too: what others reach there comes through something that listens for them.
 */
export function strangersFor({ auth, insecurePublic }: Pick<HandlerSettings, 'auth' | 'insecurePublic'>): Strangers {
  if (auth !== undefined) return 'refused';
  return insecurePublic ? 'admitted' : isHostedProduction() ? 'refused' : 'neighbours';
}

/** A handler that is mounted somewhere does not know who can reach it: the log is told. */
export function strangersAtMount(settings: HandlerSettings): Strangers {
  const { auth, log = consoleLog } = settings;
  const strangers = strangersFor(settings);
  if (auth === undefined) safeLog(log).warn(`No auth is set: ${STRANGERS_ARE[strangers]}`);
  return strangers;
}
