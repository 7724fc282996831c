/** The databases of earlier versions, with the tasks and events that callers had received when the process was killed. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Task } from '../../src/model/task.ts';
import type { NumberedEvent } from './caller.ts';

const FOLDER = fileURLToPath(new URL('databases/', import.meta.url));

/** The schema in the dumps of PostgreSQL. A test loads them into a schema of its own. */
export const SCHEMA = 'schema_of_the_dump';

/** The origin of the receiver of push notifications in the databases: the port for the service discard, where nothing listens. */
export const WEBHOOK_ORIGIN = 'http://127.0.0.1:9';

export type StoreKind = 'sqlite' | 'postgres';

/** The tasks and events that the callers of the killed process had received. */
export interface Recording {
  /** In milliseconds since 1970. */
  readonly killedAt: number;
  /** By the name of the scenario, after that of the caller. */
  readonly tasks: Readonly<Record<string, RecordedTask>>;
}

export interface RecordedTask {
  /** The response to the last `GetTask`. */
  readonly task: Task;
  /** The events from number 1, up to the last one that a subscriber had received. */
  readonly events: readonly NumberedEvent[];
}

/** The commits that wrote the databases. */
export const VERSIONS: readonly string[] = readdirSync(FOLDER).toSorted();

/** The SQLite file, or the dump of PostgreSQL. */
export function databasePath(version: string, kind: StoreKind): string {
  return `${FOLDER}${version}/${kind === 'sqlite' ? 'tasks.sqlite' : 'tasks.sql'}`;
}

export function recordingPath(version: string, kind: StoreKind): string {
  return `${FOLDER}${version}/${kind}.json`;
}

export function readRecording(version: string, kind: StoreKind): Recording {
  return JSON.parse(readFileSync(recordingPath(version, kind), 'utf8')) as Recording;
}
