/** A fault point, and which time it is reached. */
export interface Moment {
  readonly point: string;
  readonly occurrence: number;
}

/** The instructions for a process, in the environment variable `TANDEM_CALL_HOST`. */
export interface HostInstructions {
  /** The agents that it serves: the calling one, those that are called, or all. */
  readonly serves: 'front' | 'others' | 'all';
  /** The path of a SQLite file, or the URL of a PostgreSQL database. */
  readonly database: string;
  /** The schema in a PostgreSQL database. */
  readonly schema: string;
  readonly publicUrl: string;
  /** Where the called agents are, unless this process serves them. */
  readonly peerUrl?: string;
  /** The process kills itself at this moment. */
  readonly killAt?: Moment;
}

/** The facts that a process has stored. */
export interface Facts {
  readonly tasks: readonly TaskFacts[];
  readonly openCalls: number;
  /** How often this process has reached each fault point. */
  readonly points: Readonly<Record<string, number>>;
}

export interface TaskFacts {
  readonly agent: string;
  readonly id: string;
  readonly state: string;
  /** The number of journal entries of each kind. */
  readonly journal: Readonly<Record<string, number>>;
}
