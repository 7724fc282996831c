import { ERRORS, type ErrorCode, type GrpcStatus } from '../../errors.ts';
import { createErrorCodec } from '../error-codec.ts';
import { encodeDetails } from '../error-details.ts';

/** JSON-RPC: details in `data` (1.0 §9.5). REST: a `google.rpc.Status` whose `code` is the HTTP status (1.0 §11.6). */
export const errors = createErrorCodec({
  data: (error) => encodeDetails(error),
  restBody: (error, { http }) => ({
    error: { code: http, status: statusOf(error.code), message: error.message, details: encodeDetails(error) },
  }),
});

/** gRPC calls an unknown method UNIMPLEMENTED; with REST's 404 goes NOT_FOUND. */
function statusOf(code: ErrorCode): GrpcStatus {
  return code === 'METHOD_NOT_FOUND' ? 'NOT_FOUND' : ERRORS[code].grpc;
}
