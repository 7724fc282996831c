import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import type {
  GetExtendedAgentCardRequest,
  Input,
  OperationName,
  Output,
  StreamingOperation,
} from '../../model/operation.ts';
import { type RequestContext, requireTenant } from '../../host/request-context.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-operations.ts';
import type { TaskEvents } from '../bindings/event-frames.ts';
import { sendMessage, sendStreamingMessage } from './send-operations.ts';
import type { Service } from '../service.ts';
import { cancelTask, getTask, listTasks, subscribeToTask } from './task-operations.ts';

type UnaryOperation = Exclude<OperationName, StreamingOperation>;

/** The operations with one response. Each checks permissions and ownership itself, so that no binding can omit it. */
export const unary: {
  readonly [K in UnaryOperation]: (service: Service, context: RequestContext, input: Input<K>) => Promise<Output<K>>;
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

export const streaming: {
  readonly [K in StreamingOperation]: (
    service: Service,
    context: RequestContext,
    input: Input<K>,
  ) => Promise<TaskEvents>;
} = {
  SendStreamingMessage: sendStreamingMessage,
  SubscribeToTask: subscribeToTask,
};

/** Only authenticated callers get it (1.0 §13.3). */
export async function getExtendedAgentCard(
  { extendedCards }: Service,
  context: RequestContext,
  input: GetExtendedAgentCardRequest,
): Promise<AgentCard> {
  const { caller, base, dialect } = context;
  if (extendedCards === undefined) {
    throw new A2AError('UNSUPPORTED_OPERATION', 'This agent has no extended card: use the public card', {
      details: { capability: 'extendedAgentCard' },
    });
  }
  if (!caller.isVerified) throw new A2AError('UNAUTHENTICATED', 'The extended card requires authentication');
  requireTenant(context, input);
  return extendedCards.cardOf(caller, input.tenant ?? '', base, dialect.version);
}
