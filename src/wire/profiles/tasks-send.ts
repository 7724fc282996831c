import type { OperationName } from '../../model/operation.ts';
import { isObject, isSet } from '../codec.ts';
import type { Warning } from '../reader.ts';

const ALIASES: ReadonlyMap<string, OperationName> = new Map([
  ['tasks/send', 'SendMessage'],
  ['tasks/sendSubscribe', 'SendStreamingMessage'],
] as const);

export interface TasksSendAlias {
  readonly operation: OperationName;
  readonly warnings: readonly Warning[];
}

/**
 * 0.1's method names with the params of 0.2: one system keeps `tasks/send` as a second name of `message/send`. In real
 * 0.1 the caller names the task in `params.id`, and neither message ids nor `kind` exist.
 */
export function tasksSendAlias(method: string, params: unknown): TasksSendAlias | undefined {
  const operation = ALIASES.get(method);
  if (operation === undefined || !isObject(params) || isSet(params['id'])) return undefined;
  const { message } = params;
  if (!isObject(message)) return undefined;
  const parts = Array.isArray(message['parts']) ? message['parts'] : [];
  const isOfLater = isSet(message['messageId']) || parts.some((part) => isObject(part) && 'kind' in part);
  if (!isOfLater) return undefined;
  const description = `expected the method message/${operation === 'SendMessage' ? 'send' : 'stream'}; read ${method} instead`;
  return { operation, warnings: [{ code: 'tasks-send-alias', field: '', description }] };
}
