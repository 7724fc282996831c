import type {
  GetExtendedAgentCardRequest,
  Input,
  OperationName,
  Output,
  StreamingOperation,
} from '../model/operation.ts';
import { A2AError } from '../errors.ts';
import type { Call } from './call.ts';
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

/** Only callers with credentials may have it (1.0 §13.3), and there are none yet: no card declares it. */
async function getExtendedAgentCard(
  _service: Service,
  _call: Call,
  _input: GetExtendedAgentCardRequest,
): Promise<never> {
  throw new A2AError('UNSUPPORTED_OPERATION', 'This agent has no extended card: the public one says it all', {
    details: { capability: 'extendedAgentCard' },
  });
}
