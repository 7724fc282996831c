import { A2AError } from '../errors.ts';
import { isName } from '../support/name.ts';
import type { NewTask, TaskWrite } from './store.ts';

/**
 * Rejects names that a database could confuse with others: it ends a text at NUL, and stores all unpaired surrogates as the same
 * character. Such names are never stored, so a read finds nothing for them.
 *
 * @throws A2AError `INVALID_PARAMS`
 */
export function assertNames(...names: readonly (string | undefined)[]): void {
  for (const name of names) {
    if (typeof name === 'string' && !isName(name))
      throw new A2AError('INVALID_PARAMS', 'Names must not contain NUL or unpaired surrogates');
  }
}

export function assertNamesOfTask(task: NewTask): void {
  const { id, tenant, owner, contextId, agent, fairnessKey, node, alias, idempotency, pushConfig } = task;
  assertNames(id, tenant, owner, contextId, agent, fairnessKey, node, alias, idempotency?.key, pushConfig?.id);
}

export function assertNamesOfWrite({ idempotency, pushConfig }: TaskWrite): void {
  if (idempotency !== undefined) assertNames(idempotency.key);
  if (pushConfig !== undefined) assertNames(pushConfig.record.id);
}

export function areNames(...names: readonly (string | undefined)[]): boolean {
  return names.every((name) => name === undefined || isName(name));
}
