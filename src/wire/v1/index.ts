import { type ErrorCode, ERRORS, type GrpcStatus } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Dialect, StreamEncoder } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import { encodeDetails } from '../error-details.ts';
import { card } from './card.ts';
import { streamResponse } from './event.ts';
import { operations } from './methods.ts';

/** JSON-RPC: details in `data` (1.0 §9.5). REST: a `google.rpc.Status` whose `code` is the HTTP status (1.0 §11.6). */
export const errors = createErrorCodec({
  data: (error) => encodeDetails(error),
  restBody: (error, { http }) => ({
    error: { code: http, status: statusOf(error.code), message: error.message, details: encodeDetails(error) },
  }),
});

/** The gRPC status of an unknown method is UNIMPLEMENTED; for the 404 of REST it is NOT_FOUND. */
function statusOf(code: ErrorCode): GrpcStatus {
  return code === 'METHOD_NOT_FOUND' ? 'NOT_FOUND' : ERRORS[code].grpc;
}

const encoder: StreamEncoder = Object.freeze({ encode: (event: StreamResponse) => [streamResponse.encode(event)] });

/** A2A 1.0, whose format is the model. */
export const v1: Dialect = {
  name: 'v1',
  version: '1.0',
  operations,
  encodeState: (state) => state,
  methodAliases: {},
  // 1.0 has no end marker: the stream closes (1.0 §3.1.2).
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
