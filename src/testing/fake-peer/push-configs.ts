import { A2AError } from '../../errors.ts';
import type { Input } from '../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';

/** The push configs that callers have set. Nothing is delivered to them. */
export class PeerPushConfigs {
  readonly #configs = new Map<string, TaskPushNotificationConfig>();
  readonly #isSupported: boolean;
  #given = 0;

  constructor(isSupported: boolean) {
    this.#isSupported = isSupported;
  }

  /** @throws A2AError `PUSH_NOTIFICATION_NOT_SUPPORTED` */
  set(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
    if (!this.#isSupported) {
      throw new A2AError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This agent does not send push notifications');
    }
    const id = config.id ?? `config-${(this.#given += 1)}`;
    const kept = { ...config, id };
    this.#configs.set(`${config.taskId} ${id}`, kept);
    return kept;
  }

  of(taskId: string): readonly TaskPushNotificationConfig[] {
    return [...this.#configs.values()].filter((config) => config.taskId === taskId);
  }

  /** @throws A2AError `TASK_NOT_FOUND` */
  get({ taskId, id }: Input<'GetTaskPushNotificationConfig'>): TaskPushNotificationConfig {
    const config = this.of(taskId).find((each) => id === undefined || each.id === id);
    if (config !== undefined) return config;
    throw new A2AError('TASK_NOT_FOUND', `Task ${taskId} has no such push config`, { details: { taskId } });
  }

  delete({ taskId, id }: Input<'DeleteTaskPushNotificationConfig'>): null {
    this.#configs.delete(`${taskId} ${id}`);
    return null;
  }
}
