import type { SendMessageRequest } from '../../model/operation.ts';
import type { Codec } from '../codec.ts';
import type { Dialect } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import { oldErrors } from '../v03/error.ts';
import { v03 } from '../v03/index.ts';
import { sendParams, sharedOperations } from '../v03/methods.ts';
import { card } from './card.ts';

const USUAL_MODES: readonly string[] = Object.freeze(['text/plain', 'application/json']);

/** Up to 0.2.5 a configuration must name the accepted output modes. */
const sendParamsWithModes: Codec<SendMessageRequest> = {
  decode: sendParams.decode,
  encode: ({ configuration, ...request }) =>
    sendParams.encode(
      configuration === undefined
        ? request
        : { ...request, configuration: { acceptedOutputModes: USUAL_MODES, ...configuration } },
    ),
};

/** A2A 0.2: 0.3 before it had a method for the extended card. */
export const v02: Dialect = {
  ...v03,
  name: 'v02',
  version: '0.2',
  operations: {
    ...sharedOperations,
    SendMessage: { ...sharedOperations.SendMessage, params: sendParamsWithModes },
    SendStreamingMessage: { ...sharedOperations.SendStreamingMessage, params: sendParamsWithModes },
  },
  methodAliases: {},
  earlyStreamError: 'status',
  card,
  errors: createErrorCodec({
    ...oldErrors,
    rpc: { ...oldErrors.rpc, EXTENSION_SUPPORT_REQUIRED: -32602, EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32004 },
  }),
};
