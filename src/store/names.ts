import { A2AError } from '../errors.ts';
import { isName } from '../support/name.ts';
import type { NewTask, TaskWrite } from './store.ts';

/**
 * Names that a database would take for others: it ends a text at NUL, and has one character for all halves of characters.
 * They are never stored, so whoever asks for one finds nothing.
 */

export function assertNames(...names: readonly (string | undefined)[]): void {
  for (const name of names) {
    if (typeof name === 'string' && !isName(name))
      throw new A2AError('INVALID_PARAMS', 'A name must have neither NUL nor halves of characters');
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
