import type { AgentCard } from '../../model/card.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Message } from '../../model/message.ts';
import type { SendMessageRequest, SendMessageResponse } from '../../model/operation.ts';
import type { Task } from '../../model/task.ts';
import type { Codec } from '../codec.ts';
import type { Dialect, StreamEncoder } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import { changeUnknown, hasUnknown, moveUnknown } from '../unknown-members.ts';
import { createCardCodec } from '../v03/card.ts';
import { oldErrors } from '../v03/error.ts';
import { v03 } from '../v03/index.ts';
import { sendParams, sharedOperations } from '../v03/methods.ts';

/** The cards of 0.2.6. Earlier cards have fewer members and no version, and are decoded by the same codec. */
export const card: Codec<AgentCard> = createCardCodec({
  version: '0.2',
  protocolVersion: '0.2.6',
  requiresVersion: false,
  mutualTls: false,
  oauth2MetadataUrl: false,
  skillSecurity: false,
});

const USUAL_MODES: readonly string[] = Object.freeze(['text/plain', 'application/json']);

/** Up to 0.2.5 the configuration requires the accepted output modes. */
const sendParamsWithModes: Codec<SendMessageRequest> = {
  decode(d, json) {
    const request = sendParams.decode(d, json);
    // Undefined after a violation.
    const message: Message | undefined = request.message;
    if (message?.parts === undefined || !hasUnknown(message)) return request;
    return { ...request, message: moveUnknown(message, '0.3', '0.2') };
  },
  encode: ({ configuration, message, ...request }) =>
    sendParams.encode({
      ...request,
      message: moveUnknown(message, '0.2', '0.3'),
      ...(configuration && { configuration: { acceptedOutputModes: USUAL_MODES, ...configuration } }),
    }),
};

/**
 * The codecs are those of 0.3, which encode unknown members of 0.3. So the unknown members of 0.2 are passed as 0.3,
 * and those that 0.3 callers sent are dropped.
 */
function toCodecsOf03(message: Message): Message {
  return moveUnknown(message, '0.2', '0.3');
}

function eventToCodecsOf03<T extends StreamResponse | SendMessageResponse>(event: T): T {
  if (!('task' in event)) return event;
  const task = changeUnknown(event.task, toCodecsOf03);
  return task === event.task ? event : ({ task } as T);
}

const task: Codec<Task> = {
  decode: sharedOperations.GetTask.result.decode,
  encode: (value) => sharedOperations.GetTask.result.encode(changeUnknown(value, toCodecsOf03)),
};

const streamItem: Codec<StreamResponse> = {
  decode: v03.webhook.decode,
  encode: (event) => v03.webhook.encode(eventToCodecsOf03(event)),
};

const sendResult: Codec<SendMessageResponse> = {
  decode: sharedOperations.SendMessage.result.decode,
  encode: (result) => sharedOperations.SendMessage.result.encode(eventToCodecsOf03(result)),
};

const encoder03 = v03.createStreamEncoder();

const encoder: StreamEncoder = Object.freeze({
  encode: (event: StreamResponse, closes: boolean) => encoder03.encode(eventToCodecsOf03(event), closes),
  isStateless: true,
});

/** A2A 0.2: like 0.3, but without a method for the extended card. */
export const v02: Dialect = {
  ...v03,
  name: 'v02',
  version: '0.2',
  operations: {
    ...sharedOperations,
    SendMessage: { ...sharedOperations.SendMessage, params: sendParamsWithModes, result: sendResult },
    SendStreamingMessage: { ...sharedOperations.SendStreamingMessage, params: sendParamsWithModes, result: streamItem },
    GetTask: { ...sharedOperations.GetTask, result: task },
    CancelTask: { ...sharedOperations.CancelTask, result: task },
    SubscribeToTask: { ...sharedOperations.SubscribeToTask, result: streamItem },
  },
  methodAliases: {},
  createStreamEncoder: () => encoder,
  webhook: streamItem,
  earlyStreamError: 'status',
  card,
  errors: createErrorCodec({
    ...oldErrors,
    rpc: { ...oldErrors.rpc, EXTENSION_SUPPORT_REQUIRED: -32602, EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32004 },
  }),
};
