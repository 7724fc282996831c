import type { StreamResponse } from '../../model/event.ts';
import type { Codec } from '../codec.ts';
import type { Dialect } from '../dialect.ts';
import { card } from './card.ts';
import { errors } from './error.ts';
import { createStreamEncoder, endsStream, streamResponse } from './event.ts';
import { operations } from './methods.ts';
import { taskState } from './task.ts';

/** Webhooks of 0.2 and 0.3 contain the whole task. Decoding also accepts the other stream items. */
const webhook: Codec<StreamResponse> = streamResponse;

/** A2A 0.3 over JSON-RPC: objects tagged by `kind`, results without a wrapper. */
export const v03: Dialect = {
  name: 'v03',
  version: '0.3',
  operations,
  encodeState: (state) => taskState.encode(state) as string,
  // The 0.3 specification has this name once; the prose of 0.2.6 uses it.
  methodAliases: { 'agent/authenticatedExtendedCard': 'GetExtendedAgentCard' },
  createStreamEncoder,
  endsStream,
  card,
  webhook,
  pushesWholeTasks: true,
  errors,
  mediaType: 'application/json',
  clientNamesTasks: false,
  subscribesToTheEnd: false,
  earlyStreamError: 'event',
  hasDefaultPushConfig: true,
};
