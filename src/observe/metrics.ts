import { isTerminal, type TaskState } from '../model/state.ts';
import { Counter, headText, Histogram, labelText, lineText } from './metric-family.ts';

/** A value that is read at each scrape. */
interface Gauge {
  /** The name of the metric. */
  readonly name: string;
  /** The description of the metric. */
  readonly help: string;
  /** The names of the labels. */
  readonly labels: readonly string[];
  /** Returns the current values, each with the values of its labels. */
  readonly read: () => Iterable<readonly [labels: readonly string[], value: number]>;
}

/** The members of a task that the metrics use. */
interface CountedTask {
  /** The id of the agent. */
  readonly agent: string;
  /** The current status. */
  readonly status: {
    /** The current state. */
    readonly state: TaskState;
  };
  /** When the task was created, in milliseconds since 1970. */
  readonly createdAt: number;
  /** When the task reached a terminal state, in milliseconds since 1970. */
  readonly endedAt?: number;
}

/**
 * The metrics of one handler, in the Prometheus text format. Metrics are optional, so callers write
 * `metrics?.limitHit('rate')`. docs/observability.md lists the names.
 */
export class Metrics {
  readonly #operations = new Histogram(
    'tandem_operation_seconds',
    'Time in seconds until an operation returned its response or started its stream',
    ['operation', 'binding', 'version', 'code'],
  );
  readonly #failures = new Counter('tandem_failures_total', 'Requests that got an error response', ['binding', 'code']);
  readonly #states = new Counter('tandem_task_states_total', 'State transitions of tasks', ['agent', 'state']);
  readonly #tasks = new Histogram(
    'tandem_task_seconds',
    'Time in seconds from the first message of a task to its end',
    ['agent', 'state'],
  );
  readonly #leases = new Counter('tandem_leases_lost_total', 'Runs that ended because their lease was lost', ['agent']);
  readonly #mismatches = new Counter(
    'tandem_code_mismatches_total',
    'Runs whose handler no longer matches the journal of the task',
    ['agent', 'outcome'],
  );
  readonly #limits = new Counter('tandem_limits_hit_total', 'Requests that exceeded a limit', ['limit']);
  readonly #pushes = new Counter('tandem_push_deliveries_total', 'Attempts to deliver a push notification', [
    'outcome',
  ]);
  readonly #callsMade = new Counter('tandem_calls_made_total', 'Calls to other agents that were recorded', [
    'agent',
    'peer',
  ]);
  readonly #calls = new Histogram(
    'tandem_call_seconds',
    'Time in seconds from the record of a call to another agent to its outcome',
    ['agent', 'peer', 'outcome'],
  );
  readonly #gauges = new Map<string, Gauge>();

  /** @param code `OK`, or the code of the error. */
  operationDone(operation: string, binding: string, version: string, code: string, seconds: number): void {
    this.#operations.of(operation, binding, version, code).observe(seconds);
  }

  /** Counts a request that got an error response. */
  requestFailed(binding: string, code: string): void {
    this.#failures.of(binding, code).add();
  }

  /** Called when a task was stored with a new state. */
  stateReached({ agent, status, createdAt, endedAt }: CountedTask): void {
    const { state } = status;
    this.#states.of(agent, state).add();
    if (isTerminal(state)) this.#tasks.of(agent, state).observe(Math.max(0, (endedAt ?? createdAt) - createdAt) / 1000);
  }

  /** Counts a run that ended because its lease was lost. */
  leaseLost(agent: string): void {
    this.#leases.of(agent).add();
  }

  /** Counts a run whose handler no longer matches the journal of its task. */
  codeMismatch(agent: string, outcome: 'continued' | 'held'): void {
    this.#mismatches.of(agent, outcome).add();
  }

  /** @param limit One of a fixed set of names, such as `rate`. */
  limitHit(limit: string): void {
    this.#limits.of(limit).add();
  }

  /** @param outcome `failed` is retried automatically, `dead` is not. */
  pushAttempted(outcome: 'delivered' | 'failed' | 'dead'): void {
    this.#pushes.of(outcome).add();
  }

  /** @param peer The id of the peer, or `url`: a label must not have a value for each address. */
  callMade(agent: string, peer: string): void {
    this.#callsMade.of(agent, peer).add();
  }

  /** @param outcome That of the call; after the end of its task also `left` or `dead`. */
  callEnded(agent: string, peer: string, outcome: string, seconds: number): void {
    this.#calls.of(agent, peer, outcome).observe(seconds);
  }

  /** Reports the values of `read` at each scrape. A second gauge with the same name replaces the first. */
  gauge(name: string, help: string, labels: readonly string[], read: Gauge['read']): void {
    this.#gauges.set(name, { name, help, labels, read });
  }

  /** Returns all metrics in the Prometheus text format. */
  text(): string {
    const families = [
      this.#operations,
      this.#failures,
      this.#states,
      this.#tasks,
      this.#leases,
      this.#mismatches,
      this.#limits,
      this.#pushes,
      this.#callsMade,
      this.#calls,
    ];
    return families.map((family) => family.text()).join('') + Array.from(this.#gauges.values(), gaugeText).join('');
  }
}

function gaugeText({ name, help, labels, read }: Gauge): string {
  const lines = Array.from(read(), ([values, value]) => lineText(name, labelText(labels, values), value));
  return headText(name, help, 'gauge') + lines.join('');
}
