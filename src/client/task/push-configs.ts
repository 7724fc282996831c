import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { Input, OperationName, Output } from '../../model/operation.ts';
import { defined } from '../../support/defined.ts';
import { CallScope, withScope } from '../request/call-scope.ts';
import type { OperationClient } from '../request/operation-client.ts';
import type { CallOptions } from '../options.ts';
import { DEFAULT_TIMEOUTS } from '../settings.ts';

/** One page of push configurations. */
export interface PushConfigPage {
  /** The push configurations of this page. */
  readonly configs: readonly TaskPushNotificationConfig[];
  /** Pass it as `pageToken` to get the next page. Empty on the last page. */
  readonly nextPageToken: string;
}

/** Manages the webhooks that an agent notifies about tasks. Reached as `client.pushConfigs`. */
export class PushConfigs {
  readonly #operationClient: OperationClient;

  /** @internal */
  constructor(operationClient: OperationClient) {
    this.#operationClient = operationClient;
  }

  /**
   * Adds a webhook to a task, or replaces the one with the same id. Returns it with the id that the agent assigned.
   *
   * @example
   * await agent.pushConfigs.set(taskId, { url: 'https://example.com/hook', token: 's3cret' });
   *
   * @throws A2AError `PUSH_NOTIFICATION_NOT_SUPPORTED`, `TASK_NOT_FOUND`, or `INVALID_PARAMS` if the agent rejects the URL
   */
  set(
    taskId: string,
    config: Omit<TaskPushNotificationConfig, 'taskId'>,
    options: CallOptions = {},
  ): Promise<TaskPushNotificationConfig> {
    return this.#call('CreateTaskPushNotificationConfig', { ...config, taskId }, options);
  }

  /** Returns a webhook of a task. The `id` is optional only for agents before 1.0, where a task has at most one. */
  get(taskId: string, id?: string, options: CallOptions = {}): Promise<TaskPushNotificationConfig> {
    return this.#call('GetTaskPushNotificationConfig', defined({ taskId, id }), options);
  }

  /** Returns one page of the webhooks of a task. */
  async list(
    taskId: string,
    options: CallOptions & {
      /** The maximum number of push configurations; the agent decides if not set. */
      readonly pageSize?: number;
      /** The `nextPageToken` of the previous page; the first page if not set. */
      readonly pageToken?: string;
    } = {},
  ): Promise<PushConfigPage> {
    const { pageSize, pageToken } = options;
    const page = await this.#call('ListTaskPushNotificationConfigs', defined({ taskId, pageSize, pageToken }), options);
    return { configs: page.configs ?? [], nextPageToken: page.nextPageToken ?? '' };
  }

  /** Removes a webhook from a task. */
  async delete(taskId: string, id: string, options: CallOptions = {}): Promise<void> {
    await this.#call('DeleteTaskPushNotificationConfig', { taskId, id }, options);
  }

  #call<K extends OperationName>(operation: K, input: Input<K>, options: CallOptions): Promise<Output<K>> {
    const { clock, timeoutMs = DEFAULT_TIMEOUTS.request } = this.#operationClient.context.settings;
    const scope = new CallScope(clock, options, timeoutMs);
    return withScope(scope, async () => (await this.#operationClient.call(operation, input, scope)).value);
  }
}
