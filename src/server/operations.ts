import type { Input, OperationName, Output, StreamingOperation } from '../model/operation.ts';
import type { Call } from './call.ts';
import { getExtendedAgentCard } from './extended-card.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-operations.ts';
import { sendMessage, sendStreamingMessage, type TaskEvents } from './send-operations.ts';
import type { Service } from './service.ts';
import { cancelTask, getTask, listTasks, subscribeToTask } from './task-operations.ts';

type UnaryOperation = Exclude<OperationName, StreamingOperation>;

/** The operations with one answer. Each is checked and owner-scoped here, so that no binding can forget it. */
export const unary: {
  readonly [K in UnaryOperation]: (service: Service, call: Call, input: Input<K>) => Promise<Output<K>>;
} = {
  SendMessage: sendMessage,
  GetTask: getTask,
  ListTasks: listTasks,
  CancelTask: cancelTask,
  CreateTaskPushNotificationConfig: createPushConfig,
  GetTaskPushNotificationConfig: getPushConfig,
  ListTaskPushNotificationConfigs: listPushConfigs,
  DeleteTaskPushNotificationConfig: deletePushConfig,
  GetExtendedAgentCard: getExtendedAgentCard,
};

/** The operations with many. */
export const streaming: {
  readonly [K in StreamingOperation]: (service: Service, call: Call, input: Input<K>) => Promise<TaskEvents>;
} = {
  SendStreamingMessage: sendStreamingMessage,
  SubscribeToTask: subscribeToTask,
};
