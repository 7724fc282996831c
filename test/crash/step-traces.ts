/** Reads the traces of steps, and checks that no recorded step ran again. */

export interface Steps {
  /** The value of each step: the one that was recorded, else that of its last execution. */
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** `run step value process`, `recorded step value process`, `woken process`. */
const TRACE = /^(run|recorded|woken)(?: (\S+#\d+) ?(\w*))? ?(\d*)$/;

/**
 * A recorded step does not run again after a kill, a suspend or a lost connection. One exception cannot be prevented: a
 * process confirms its lease, is suspended, and then begins the step. Only the first trace after it continues can be late,
 * and the result of that step is not recorded. Every step has one recorded value.
 */
export function readTraces(traces: readonly string[]): Steps {
  const values = new Map<string, string>();
  const recorded = new Map<string, string>();
  const executed = new Map<string, Set<string>>();
  const hasJustWoken = new Set<string>();
  const problems: string[] = [];
  for (const trace of traces) {
    const [, kind, step = '', value = '', pid = ''] = TRACE.exec(trace) ?? [];
    const mayBeLate = hasJustWoken.delete(pid);
    if (kind === undefined) {
      problems.push(`Unknown trace: ${trace}`);
    } else if (kind === 'woken') {
      hasJustWoken.add(pid);
    } else if (kind === 'recorded') {
      if (executed.get(step)?.has(value) !== true) problems.push(`Step ${step} is recorded as ${value} and never ran`);
      if ((recorded.get(step) ?? value) !== value) problems.push(`Step ${step} is recorded twice`);
      recorded.set(step, value);
      values.set(step, value);
    } else {
      executed.set(step, (executed.get(step) ?? new Set()).add(value));
      if (!recorded.has(step)) values.set(step, value);
      else if (!mayBeLate) problems.push(`Step ${step} ran again after it was recorded`);
    }
  }
  return { values, problems };
}
