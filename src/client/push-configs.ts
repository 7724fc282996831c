import type { TaskPushNotificationConfig } from '../model/push.ts';
import type { Input, OperationName, Output } from '../model/operation.ts';
import { defined } from '../support/defined.ts';
import { CallScope, withScope } from './call-scope.ts';
import type { Caller } from './caller.ts';
import type { CallOptions } from './options.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';

/** A page of push configurations. */
export interface PushConfigPage {
  readonly configs: readonly TaskPushNotificationConfig[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** Where and how an agent notifies about its tasks. */
export class PushConfigs {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Adds a configuration to a task, or replaces the one of the same id. */
  set(
    taskId: string,
    config: Omit<TaskPushNotificationConfig, 'taskId'>,
    options: CallOptions = {},
  ): Promise<TaskPushNotificationConfig> {
    return this.#call('CreateTaskPushNotificationConfig', { ...config, taskId }, options);
  }

  /** Without an id: the only one that a task has in agents before 1.0. */
  get(taskId: string, id?: string, options: CallOptions = {}): Promise<TaskPushNotificationConfig> {
    return this.#call('GetTaskPushNotificationConfig', defined({ taskId, id }), options);
  }

  async list(
    taskId: string,
    options: CallOptions & { readonly pageSize?: number; readonly pageToken?: string } = {},
  ): Promise<PushConfigPage> {
    const { pageSize, pageToken } = options;
    const page = await this.#call('ListTaskPushNotificationConfigs', defined({ taskId, pageSize, pageToken }), options);
    return { configs: page.configs ?? [], nextPageToken: page.nextPageToken ?? '' };
  }

  async delete(taskId: string, id: string, options: CallOptions = {}): Promise<void> {
    await this.#call('DeleteTaskPushNotificationConfig', { taskId, id }, options);
  }

  #call<K extends OperationName>(operation: K, input: Input<K>, options: CallOptions): Promise<Output<K>> {
    const { clock, timeoutMs = DEFAULT_TIMEOUTS.request } = this.#caller.wiring.settings;
    const scope = new CallScope(clock, options, timeoutMs);
    return withScope(scope, async () => (await this.#caller.call(operation, input, scope)).value);
  }
}
