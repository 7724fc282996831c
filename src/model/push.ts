/** How the server authenticates itself to a webhook: `Authorization: {scheme} {credentials}`. */
export interface AuthenticationInfo {
  readonly scheme: string;
  readonly credentials?: string;
}

/** Where and how to notify about a task (1.0 §4.3.1). `id` and `taskId` are set by the server if the caller did not. */
export interface TaskPushNotificationConfig {
  readonly tenant?: string;
  readonly id?: string;
  readonly taskId?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: AuthenticationInfo;
}
