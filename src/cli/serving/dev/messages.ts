import { fileURLToPath } from 'node:url';
import type { Announcement } from '../announcement.ts';

/** The environment variable that marks the child process of `tandem dev`. Its value is the port, or empty. */
export const CHILD_VARIABLE = 'TANDEM_DEV_CHILD';

/** Makes Node report every module that it loads to the parent process, as `node --watch` does. */
export const REPORT_VARIABLE = 'WATCH_REPORT_DEPENDENCIES';

/** The report of the child process once its agents are served. */
export interface Listening extends Announcement {
  readonly type: 'listening';
  readonly port: number;
}

/** Requests the child process to stop. */
export const STOP = { type: 'stop' } as const;

export function isListening(message: unknown): message is Listening {
  return isRecord(message) && message['type'] === 'listening';
}

export function isStop(message: unknown): boolean {
  return isRecord(message) && message['type'] === STOP.type;
}

/** The files in a report of Node about loaded modules. */
export function loadedFiles(message: unknown): readonly string[] {
  if (!isRecord(message)) return [];
  const loaded = [message['watch:import'], message['watch:require']].flat();
  return loaded.flatMap((each) => {
    if (typeof each !== 'string') return [];
    if (!each.startsWith('file:')) return /^[a-z]+:/.test(each) ? [] : [each];
    // Loaders such as tsx add a query.
    return [fileURLToPath(each.replace(/[?#].*$/, ''))];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
