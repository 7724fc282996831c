import type { TaskAccess } from '../engine/task-access.ts';
import type { Call } from './call.ts';
import type { Service } from './service.ts';

/** A task by our id, and by the name that its caller gave it, if any. */
export interface NamedTask {
  readonly id: string;
  readonly alias: string | undefined;
}

/** Names of 0.1 callers are found by them alone; everybody may use our ids. */
export async function taskNamed(
  { engine }: Service,
  { dialect }: Call,
  access: Required<TaskAccess>,
  name: string,
): Promise<NamedTask> {
  const id = dialect.clientNamesTasks ? await engine.resolveAlias(access, name) : undefined;
  return id === undefined ? { id: name, alias: undefined } : { id, alias: name };
}
