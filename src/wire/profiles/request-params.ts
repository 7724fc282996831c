import type { OperationName } from '../../model/operation.ts';
import { isObject, isSet } from '../codec.ts';
import type { Warning } from '../decoder.ts';
import { type Profile, rewriteSends } from './profile.ts';

/**
 * Ids next to the message instead of inside it, or no message id. The multi-turn example of the 0.2 specification puts
 * `messageId` into the params, two systems put `contextId` there, and several send no message id.
 */
export const strayIds: Profile = {
  name: 'stray-ids',
  repairs: [
    {
      code: 'ids-beside-message',
      point: 'sendParams',
      expected: 'messageId and contextId inside the message',
      instead: 'read them from the params',
      apply({ messageId, contextId, message, ...params }) {
        if (!isObject(message)) return undefined;
        const strays = {
          ...(typeof messageId === 'string' && !isSet(message['messageId']) ? { messageId } : {}),
          ...(typeof contextId === 'string' && !isSet(message['contextId']) ? { contextId } : {}),
        };
        return Object.keys(strays).length === 0 ? undefined : { ...params, message: { ...message, ...strays } };
      },
    },
    {
      code: 'message-id-missing',
      point: 'message',
      expected: 'the member messageId',
      instead: 'generated one',
      apply: (message, d) => (isSet(message['messageId']) ? undefined : { ...message, messageId: d.newId() }),
    },
  ],
  // In both positions, because peers that expect it next to the message ignore the one inside.
  forClient: (dialect) =>
    rewriteSends(dialect, (params) => {
      const { message } = params;
      const contextId = isObject(message) ? message['contextId'] : undefined;
      return contextId === undefined ? params : { ...params, contextId };
    }),
};

/** `async: true` in the params of a send instead of `configuration.blocking: false` in 0.3. */
export const asyncFlag: Profile = {
  name: 'async-flag',
  repairs: [
    {
      code: 'async-flag',
      point: 'sendParams',
      expected: 'configuration.blocking',
      instead: 'read async instead',
      apply({ async, ...params }) {
        if (typeof async !== 'boolean') return undefined;
        const configuration = params['configuration'] ?? {};
        if (!isObject(configuration)) return undefined;
        if (isSet(configuration['blocking'])) return params;
        return { ...params, configuration: { ...configuration, blocking: !async } };
      },
    },
  ],
  forClient: (dialect) =>
    rewriteSends(dialect, (params) => {
      const { configuration } = params;
      return isObject(configuration) && configuration['blocking'] === false ? { ...params, async: true } : params;
    }),
};

/**
 * `tasks/get` with `taskId` instead of `id`, by which one system reopens a stream. Under this profile, a caller that
 * accepts an event stream gets one that starts with the current state.
 */
export const getAsStream: Profile = {
  name: 'get-as-stream',
  repairs: [
    {
      code: 'task-id-misnamed',
      point: 'taskParams',
      expected: 'the member id',
      instead: 'read taskId instead',
      apply: ({ taskId, ...params }) =>
        typeof taskId === 'string' && !isSet(params['id']) ? { ...params, id: taskId } : undefined,
    },
  ],
  forServer: (dialect) => ({ ...dialect, getTaskMayStream: true }),
};

const ALIASES: ReadonlyMap<string, OperationName> = new Map([
  ['tasks/send', 'SendMessage'],
  ['tasks/sendSubscribe', 'SendStreamingMessage'],
] as const);

export interface TasksSendAlias {
  readonly operation: OperationName;
  readonly warnings: readonly Warning[];
}

/**
 * 0.1 method names with 0.2 params: one system keeps `tasks/send` as an alias of `message/send`. In real 0.1 the caller
 * sets the task id in `params.id`, and neither message ids nor `kind` exist.
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
