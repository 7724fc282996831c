import type { AgentCard } from './card.ts';
import type { StreamResponse } from './event.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { TaskPushNotificationConfig } from './push.ts';
import type { TaskState } from './state.ts';
import type { Task } from './task.ts';

export interface SendMessageConfiguration {
  readonly acceptedOutputModes?: readonly string[];
  readonly taskPushNotificationConfig?: TaskPushNotificationConfig;
  readonly historyLength?: number;
  readonly returnImmediately?: boolean;
}

export interface SendMessageRequest {
  readonly tenant?: string;
  readonly message: Message;
  readonly configuration?: SendMessageConfiguration;
  readonly metadata?: JsonObject;
}

/** Exactly one member is present. */
export type SendMessageResponse = { readonly task: Task } | { readonly message: Message };

export interface GetTaskRequest {
  readonly tenant?: string;
  readonly id: string;
  readonly historyLength?: number;
}

export interface ListTasksRequest {
  readonly tenant?: string;
  readonly contextId?: string;
  readonly status?: TaskState;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
}

export interface ListTasksResponse {
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

export interface CancelTaskRequest {
  readonly tenant?: string;
  readonly id: string;
  readonly metadata?: JsonObject;
}

export interface SubscribeToTaskRequest {
  readonly tenant?: string;
  readonly id: string;
}

export interface GetTaskPushNotificationConfigRequest {
  readonly tenant?: string;
  readonly taskId: string;
  /** Absent only from callers before 1.0, who mean the task's default config. */
  readonly id?: string;
}

export interface DeleteTaskPushNotificationConfigRequest {
  readonly tenant?: string;
  readonly taskId: string;
  readonly id: string;
}

export interface ListTaskPushNotificationConfigsRequest {
  readonly tenant?: string;
  readonly taskId: string;
  readonly pageSize?: number;
  readonly pageToken?: string;
}

export interface ListTaskPushNotificationConfigsResponse {
  readonly configs?: readonly TaskPushNotificationConfig[];
  readonly nextPageToken?: string;
}

export interface GetExtendedAgentCardRequest {
  readonly tenant?: string;
}

/**
 * The operations of the protocol by their 1.0 names, with what goes in and what comes out (1.0 §3.1).
 * For the two streaming operations `output` is one item of the stream.
 */
export interface Operations {
  readonly SendMessage: Operation<SendMessageRequest, SendMessageResponse>;
  readonly SendStreamingMessage: Operation<SendMessageRequest, StreamResponse>;
  readonly GetTask: Operation<GetTaskRequest, Task>;
  readonly ListTasks: Operation<ListTasksRequest, ListTasksResponse>;
  readonly CancelTask: Operation<CancelTaskRequest, Task>;
  readonly SubscribeToTask: Operation<SubscribeToTaskRequest, StreamResponse>;
  readonly CreateTaskPushNotificationConfig: Operation<TaskPushNotificationConfig, TaskPushNotificationConfig>;
  readonly GetTaskPushNotificationConfig: Operation<GetTaskPushNotificationConfigRequest, TaskPushNotificationConfig>;
  readonly ListTaskPushNotificationConfigs: Operation<
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse
  >;
  readonly DeleteTaskPushNotificationConfig: Operation<DeleteTaskPushNotificationConfigRequest, null>;
  readonly GetExtendedAgentCard: Operation<GetExtendedAgentCardRequest, AgentCard>;
}

interface Operation<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

export type OperationName = keyof Operations;
export type Input<K extends OperationName> = Operations[K]['input'];
export type Output<K extends OperationName> = Operations[K]['output'];

/** The operations that answer with a stream of events instead of one result. */
export type StreamingOperation = 'SendStreamingMessage' | 'SubscribeToTask';

export function isStreaming(operation: OperationName): operation is StreamingOperation {
  return operation === 'SendStreamingMessage' || operation === 'SubscribeToTask';
}
