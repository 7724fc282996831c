import { withinPage } from '../../engine/tasks/task-page.ts';
import { A2AError } from '../../errors.ts';
import { assertWithinLimits } from '../../host/limits/content.ts';
import { requireTenant } from '../../host/request-context.ts';
import type {
  Input,
  OperationName,
  Output,
  SendMessageResponse,
  StreamingOperation as StreamingName,
  SubscribeToTaskRequest,
} from '../../model/operation.ts';
import type { Perform, StreamingOperation, UnaryOperation } from './operation.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-operations.ts';
import { sendMessage, sendStreamingMessage } from './send-operations.ts';
import { cancelTask, getTask, getTaskText, listTasks, listTaskTexts, subscribeToTask } from './task-operations.ts';
import { undeliveredCancel, undeliveredSend } from './undelivered.ts';

/** Only authenticated callers get it (1.0 §13.3). */
export const getExtendedAgentCard: Perform<'GetExtendedAgentCard'> = async ({ extendedCards }, context, input) => {
  const { caller, base, dialect } = context;
  if (extendedCards === undefined) {
    throw new A2AError('UNSUPPORTED_OPERATION', 'This agent has no extended card: use the public card', {
      details: { capability: 'extendedAgentCard' },
    });
  }
  if (!caller.isVerified) throw new A2AError('UNAUTHENTICATED', 'The extended card requires authentication');
  requireTenant(context, input);
  return extendedCards.cardOf(caller, input.tenant ?? '', base, dialect.version);
};

const subscription: StreamingOperation<SubscribeToTaskRequest> = { run: subscribeToTask, taskOf: (input) => input };

export const unary: {
  readonly [K in Exclude<OperationName, StreamingName>]: UnaryOperation<Input<K>, Output<K>>;
} = {
  SendMessage: {
    run: sendMessage,
    check: assertWithinLimits,
    shorten: shortenSent,
    undelivered: undeliveredSend,
  },
  GetTask: { run: getTask, runAsText: getTaskText, shorten: withinPage, asStream: subscription },
  ListTasks: { run: listTasks, runAsText: listTaskTexts },
  CancelTask: { run: cancelTask, shorten: withinPage, undelivered: undeliveredCancel },
  CreateTaskPushNotificationConfig: { run: createPushConfig },
  GetTaskPushNotificationConfig: { run: getPushConfig },
  ListTaskPushNotificationConfigs: { run: listPushConfigs },
  DeleteTaskPushNotificationConfig: { run: deletePushConfig },
  GetExtendedAgentCard: {
    run: getExtendedAgentCard,
    complete: async ({ extendedCards }, json) => (extendedCards === undefined ? json : extendedCards.signed(json)),
    headers: ({ extendedCards }) => extendedCards?.headers,
  },
};

export const streaming: { readonly [K in StreamingName]: StreamingOperation<Input<K>> } = {
  SendStreamingMessage: { run: sendStreamingMessage, check: assertWithinLimits },
  SubscribeToTask: subscription,
};

function shortenSent(sent: SendMessageResponse): SendMessageResponse {
  if (!('task' in sent)) return sent;
  const task = withinPage(sent.task);
  return task === sent.task ? sent : { task };
}
