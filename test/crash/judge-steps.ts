/** What steps have left behind, held against what may happen to a step. */

export interface Steps {
  /** The value of each step: the one that was recorded, else that of its last execution. */
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** `run step value process`, `recorded step value process`, `woken process`. */
const TRACE = /^(run|recorded|woken)(?: (\S+#\d+) ?(\w*))? ?(\d*)$/;

/**
 * A step that was recorded does not run again, whatever was stopped, killed or cut off. The one exception is what no
 * program can rule out: a process makes sure that the task is its own and begins the step, and is stopped between these
 * two. It is in the middle of this one step then, so that what it says first when it goes on is all that can be late.
 * What comes of it is not recorded: of every step there is one value.
 */
export function readTraces(traces: readonly string[]): Steps {
  const values = new Map<string, string>();
  const recorded = new Map<string, string>();
  const executed = new Map<string, Set<string>>();
  const hasJustWoken = new Set<string>();
  const problems: string[] = [];
  for (const trace of traces) {
    const [, what, step = '', value = '', pid = ''] = TRACE.exec(trace) ?? [];
    const isInTheMiddle = hasJustWoken.delete(pid);
    if (what === undefined) {
      problems.push(`Nobody can read ${trace}`);
    } else if (what === 'woken') {
      hasJustWoken.add(pid);
    } else if (what === 'recorded') {
      if (executed.get(step)?.has(value) !== true) problems.push(`Step ${step} is recorded as ${value} and never ran`);
      if ((recorded.get(step) ?? value) !== value) problems.push(`Step ${step} is recorded twice`);
      recorded.set(step, value);
      values.set(step, value);
    } else {
      executed.set(step, (executed.get(step) ?? new Set()).add(value));
      if (!recorded.has(step)) values.set(step, value);
      else if (!isInTheMiddle) problems.push(`Step ${step} ran again after it was recorded`);
    }
  }
  return { values, problems };
}
