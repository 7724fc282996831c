/** How the server authenticates to a webhook: `Authorization: {scheme} {credentials}`. */
export interface AuthenticationInfo {
  /** HTTP authentication scheme, for example `Bearer`. */
  readonly scheme: string;
  /** Credentials in the format of the scheme. */
  readonly credentials?: string;
}

/** A push configuration: where and how the server notifies about a task (1.0 §4.3.1). */
export interface TaskPushNotificationConfig {
  /** Tenant of the task. */
  readonly tenant?: string;
  /** Id of the config, unique within the task. */
  readonly id?: string;
  /** Id of the task. */
  readonly taskId?: string;
  /** Webhook URL that receives the notifications. */
  readonly url: string;
  /** Token that the server sends with each notification, so that the webhook can verify it. */
  readonly token?: string;
  /** Credentials that the server sends to the webhook. */
  readonly authentication?: AuthenticationInfo;
}
