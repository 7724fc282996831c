import { CallError } from '../../src/engine/calls/call.ts';
import type { Handler } from '../../src/engine/handler.ts';
import type { RunLimits, Runnable } from '../../src/engine/runnable.ts';
import type { Store, TaskRecord } from '../../src/store/store.ts';
import { type Harness, harness, type HarnessOptions, runnable } from './harness.ts';

/** Agents by id. */
export type Agents = Readonly<Record<string, Handler | Runnable>>;

/** The agents of an engine: the calling one, which is called `agent`, and others. */
export function agentsOf(run: Handler, others: Agents, limits?: Partial<RunLimits>): readonly Runnable[] {
  const more = Object.entries(others).map(([id, other]) =>
    typeof other === 'function' ? runnable(other, {}, id) : other,
  );
  return [runnable(run, limits), ...more];
}

/** An engine with a calling agent and others. */
export function calling(run: Handler, others: Agents = {}, options: HarnessOptions = {}): Promise<Harness> {
  return harness(run, { ...options, agents: agentsOf(run, others, options.limits) });
}

export const echo: Handler = async ({ text }) => `echo ${text}`;

/** The error that a call throws. */
export async function failureOf(call: Promise<unknown>): Promise<CallError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
  throw new Error('The call completed');
}

/** The tasks of an agent. */
export async function tasksOf({ store }: { readonly store: Store }, agent: string): Promise<readonly TaskRecord[]> {
  const tasks = await store.allTasks?.({ agent, limit: 10_000 });
  return tasks ?? [];
}
