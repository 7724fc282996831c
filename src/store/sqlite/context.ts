import type { Clock } from '../../support/time/clock.ts';
import type { Connection } from './database/connection.ts';
import type { Nodes } from './nodes.ts';
import type { Tasks } from './tasks.ts';

/** The parts of a SQLite store that its methods share. */
export interface SqliteContext {
  readonly connection: Connection;
  readonly tasks: Tasks;
  readonly nodes: Nodes;
  readonly clock: Clock;
  /** The fairness key that got the last task, by agent: where the rotation of claims continues. */
  readonly positions: Map<string, string>;
}
