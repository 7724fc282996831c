import { consoleLog } from '../observe/console-log.ts';
import { safeLog } from '../observe/safe-log.ts';
import { isHostedProduction } from './auth/hosted.ts';
import type { HandlerSettings } from './handler-options.ts';

/**
 * What becomes of callers whom nobody knows, where no `auth` is set. `neighbours` are let in, and all are one, for only who is
 * at home here can be one; of `admitted` ones nobody knows where they come from; `refused` ones are told to come later.
 */
export type Strangers = 'neighbours' | 'admitted' | 'refused';

const SENTENCES: Readonly<Record<Strangers, string>> = {
  neighbours:
    'everybody who can reach it may call this agent. In production nobody may then: set auth, or insecurePublic',
  admitted: 'everybody who can reach it may call this agent',
  refused: 'nobody may call this agent in production. Set auth to say who may, or insecurePublic: true for everybody',
};

/**
 * A handler that is mounted somewhere does not know who can reach it. Where agents run for others it is closed unless
 * somebody has said who may come in, or that everybody may; on anybody's desk the log is told.
 */
export function strangersAtMount({ auth, insecurePublic, log = consoleLog }: HandlerSettings): Strangers {
  if (auth !== undefined) return 'refused';
  const strangers = insecurePublic ? 'admitted' : isHostedProduction() ? 'refused' : 'neighbours';
  safeLog(log).warn(`No auth is set: ${SENTENCES[strangers]}`);
  return strangers;
}
