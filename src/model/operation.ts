import type { AgentCard } from './card.ts';
import type { StreamResponse } from './event.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { TaskPushNotificationConfig } from './push.ts';
import type { TaskState } from './state.ts';
import type { Task } from './task.ts';

/** Options of a send (1.0 §3.2.2). */
export interface SendMessageConfiguration {
  /** Media types that the caller accepts. */
  readonly acceptedOutputModes?: readonly string[];
  /** Webhook to register for the task. */
  readonly taskPushNotificationConfig?: TaskPushNotificationConfig;
  /** Maximum number of history messages in the returned task. 0: none; absent: no limit by the caller. */
  readonly historyLength?: number;
  /** Whether to return the task at once instead of waiting until it ends or pauses. Default: false. */
  readonly returnImmediately?: boolean;
}

/** Input of `SendMessage` and `SendStreamingMessage`. */
export interface SendMessageRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Message to send. */
  readonly message: Message;
  /** Options of the send. */
  readonly configuration?: SendMessageConfiguration;
  /** Custom data about the request. */
  readonly metadata?: JsonObject;
}

/** Exactly one member is present. */
export type SendMessageResponse =
  | {
      /** The task that handles the message. */
      readonly task: Task;
    }
  | {
      /** A direct reply without a task. */
      readonly message: Message;
    };

/** Input of `GetTask`. */
export interface GetTaskRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Id of the task. */
  readonly id: string;
  /** Maximum number of history messages in the returned task. */
  readonly historyLength?: number;
}

/** Input of `ListTasks`: filters and pagination. */
export interface ListTasksRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Returns only tasks of this context. */
  readonly contextId?: string;
  /** Returns only tasks in this state. */
  readonly status?: TaskState;
  /** Maximum number of tasks per page, 1 to 100. */
  readonly pageSize?: number;
  /** `nextPageToken` of the previous page. */
  readonly pageToken?: string;
  /** Maximum number of history messages per task. */
  readonly historyLength?: number;
  /** Returns only tasks whose status changed at or after this UTC timestamp. */
  readonly statusTimestampAfter?: string;
  /** Whether the returned tasks contain their artifacts. Default: false. */
  readonly includeArtifacts?: boolean;
}

/** One page of tasks. */
export interface ListTasksResponse {
  /** Tasks of this page. */
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** Page size that the server used. */
  readonly pageSize: number;
  /** Number of tasks that match the filters, on all pages. */
  readonly totalSize: number;
}

/** Input of `CancelTask`. */
export interface CancelTaskRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Id of the task. */
  readonly id: string;
  /** Custom data about the request. */
  readonly metadata?: JsonObject;
}

/** Input of `SubscribeToTask`. */
export interface SubscribeToTaskRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Id of the task. */
  readonly id: string;
}

/** Input of `GetTaskPushNotificationConfig`. */
export interface GetTaskPushNotificationConfigRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Id of the task. */
  readonly taskId: string;
  /** Absent only in requests before 1.0, which mean the default configuration of the task. */
  readonly id?: string;
}

/** Input of `DeleteTaskPushNotificationConfig`. */
export interface DeleteTaskPushNotificationConfigRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Id of the task. */
  readonly taskId: string;
  /** Id of the config. */
  readonly id: string;
}

/** Input of `ListTaskPushNotificationConfigs`. */
export interface ListTaskPushNotificationConfigsRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
  /** Id of the task. */
  readonly taskId: string;
  /** Maximum number of configs per page. */
  readonly pageSize?: number;
  /** `nextPageToken` of the previous page. */
  readonly pageToken?: string;
}

/** One page of push notification configs. */
export interface ListTaskPushNotificationConfigsResponse {
  /** Configs of this page. */
  readonly configs?: readonly TaskPushNotificationConfig[];
  /** Token of the next page. Absent on the last page. */
  readonly nextPageToken?: string;
}

/** Input of `GetExtendedAgentCard`. */
export interface GetExtendedAgentCardRequest {
  /** Tenant of the request. */
  readonly tenant?: string;
}

/**
 * The operations of the protocol by their 1.0 names, with their input and output (1.0 §3.1). The output of the two
 * streaming operations is one item of the stream.
 */
export interface Operations {
  /** Sends a message and returns a task or a message. */
  readonly SendMessage: Operation<SendMessageRequest, SendMessageResponse>;
  /** Sends a message and streams the events of its task. */
  readonly SendStreamingMessage: Operation<SendMessageRequest, StreamResponse>;
  /** Returns the current state of a task. */
  readonly GetTask: Operation<GetTaskRequest, Task>;
  /** Returns a page of the tasks that the caller can see. */
  readonly ListTasks: Operation<ListTasksRequest, ListTasksResponse>;
  /** Cancels a task and returns it. */
  readonly CancelTask: Operation<CancelTaskRequest, Task>;
  /** Streams the events of an existing task. */
  readonly SubscribeToTask: Operation<SubscribeToTaskRequest, StreamResponse>;
  /** Registers a webhook for a task. */
  readonly CreateTaskPushNotificationConfig: Operation<TaskPushNotificationConfig, TaskPushNotificationConfig>;
  /** Returns one push notification config of a task. */
  readonly GetTaskPushNotificationConfig: Operation<GetTaskPushNotificationConfigRequest, TaskPushNotificationConfig>;
  /** Returns the push notification configs of a task. */
  readonly ListTaskPushNotificationConfigs: Operation<
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse
  >;
  /** Deletes a push notification config of a task. */
  readonly DeleteTaskPushNotificationConfig: Operation<DeleteTaskPushNotificationConfigRequest, null>;
  /** Returns the card for authenticated callers. */
  readonly GetExtendedAgentCard: Operation<GetExtendedAgentCardRequest, AgentCard>;
}

/** Input and output type of one operation. */
interface Operation<Input, Output> {
  /** Type of the request. */
  readonly input: Input;
  /** Type of the result, or of one stream item. */
  readonly output: Output;
}

/** Name of an operation in 1.0. */
export type OperationName = keyof Operations;
/** Request type of an operation. */
export type Input<K extends OperationName> = Operations[K]['input'];
/** Result type of an operation; for streaming operations the type of one stream item. */
export type Output<K extends OperationName> = Operations[K]['output'];

/** The operations that return a stream of events instead of one result. */
export type StreamingOperation = 'SendStreamingMessage' | 'SubscribeToTask';

export function isStreaming(operation: OperationName): operation is StreamingOperation {
  return operation === 'SendStreamingMessage' || operation === 'SubscribeToTask';
}
