import { isTerminal, type TaskState } from '../model/state.ts';
import { Counter, headText, Histogram, labelText, lineText } from './metric-family.ts';

/** A value that is looked up when somebody asks. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => Iterable<readonly [labels: readonly string[], value: number]>;
}

/** What a task looks like to those who count tasks. */
interface CountedTask {
  readonly agent: string;
  readonly status: { readonly state: TaskState };
  readonly createdAt: number;
  readonly endedAt?: number;
}

/**
 * The numbers of one handler, in the text format of Prometheus. Who counts something calls the function for it, if there
 * are metrics at all: `metrics?.limitHit('rate')`. docs/observability.md has the names.
 */
export class Metrics {
  readonly #operations = new Histogram(
    'tandem_operation_seconds',
    'How long operations took until they had an answer, or a stream',
    ['operation', 'binding', 'version', 'code'],
  );
  readonly #failures = new Counter('tandem_failures_total', 'Requests that were answered with an error', [
    'binding',
    'code',
  ]);
  readonly #states = new Counter('tandem_task_states_total', 'States that tasks came to', ['agent', 'state']);
  readonly #tasks = new Histogram('tandem_task_seconds', 'How long tasks took from their first message to their end', [
    'agent',
    'state',
  ]);
  readonly #leases = new Counter('tandem_leases_lost_total', 'Runs that ended because their lease was lost', ['agent']);
  readonly #limits = new Counter('tandem_limits_hit_total', 'Requests that went beyond a limit', ['limit']);
  readonly #pushes = new Counter('tandem_push_deliveries_total', 'Attempts to deliver a push notification', [
    'outcome',
  ]);
  readonly #gauges = new Map<string, Gauge>();

  /** @param code `OK`, or the code of the error. */
  operationDone(operation: string, binding: string, version: string, code: string, seconds: number): void {
    this.#operations.of(operation, binding, version, code).observe(seconds);
  }

  requestFailed(binding: string, code: string): void {
    this.#failures.of(binding, code).add();
  }

  /** A task was stored in another state than before. */
  stateReached({ agent, status, createdAt, endedAt }: CountedTask): void {
    const { state } = status;
    this.#states.of(agent, state).add();
    if (isTerminal(state)) this.#tasks.of(agent, state).observe(Math.max(0, (endedAt ?? createdAt) - createdAt) / 1000);
  }

  leaseLost(agent: string): void {
    this.#leases.of(agent).add();
  }

  /** @param limit One of a fixed set of names, such as `rate`. */
  limitHit(limit: string): void {
    this.#limits.of(limit).add();
  }

  /** @param outcome `failed` is tried again by itself, `dead` is not. */
  pushAttempted(outcome: 'delivered' | 'failed' | 'dead'): void {
    this.#pushes.of(outcome).add();
  }

  /** Shows what `read` gives whenever somebody asks. The last one of a name counts. */
  gauge(name: string, help: string, labels: readonly string[], read: Gauge['read']): void {
    this.#gauges.set(name, { name, help, labels, read });
  }

  text(): string {
    const families = [
      this.#operations,
      this.#failures,
      this.#states,
      this.#tasks,
      this.#leases,
      this.#limits,
      this.#pushes,
    ];
    return families.map((family) => family.text()).join('') + Array.from(this.#gauges.values(), gaugeText).join('');
  }
}

function gaugeText({ name, help, labels, read }: Gauge): string {
  const lines = Array.from(read(), ([values, value]) => lineText(name, labelText(labels, values), value));
  return headText(name, help, 'gauge') + lines.join('');
}
