import type { StreamResponse } from '../../model/event.ts';
import type { Dialect, StreamEncoder } from '../dialect.ts';
import { card } from './card.ts';
import { errors } from './error.ts';
import { streamResponse } from './event.ts';
import { operations } from './methods.ts';

const encoder: StreamEncoder = Object.freeze({ encode: (event: StreamResponse) => [streamResponse.encode(event)] });

/** A2A 1.0. Its words are the model's words. */
export const v1: Dialect = {
  name: 'v1',
  version: '1.0',
  operations,
  encodeState: (state) => state,
  methodAliases: {},
  // 1.0 has no end marker: the stream simply closes (1.0 §3.1.2).
  createStreamEncoder: () => encoder,
  endsStream: () => false,
  card,
  webhook: streamResponse,
  pushesWholeTasks: false,
  errors,
  mediaType: 'application/a2a+json',
  restEmpty: '{}',
  clientNamesTasks: false,
  subscribesToTheEnd: true,
  cancelIsIdempotent: true,
  hasDefaultPushConfig: false,
  isModel: true,
};
