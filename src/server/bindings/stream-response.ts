import type { OperationResult } from './perform-operation.ts';
import { type Envelope, EventFrames } from './event-frames.ts';
import { STREAM_HEADERS } from '../http/stream-headers.ts';
import type { HttpResponse } from '../http/http.ts';
import { type HttpContext, withExtensions } from './http-context.ts';
import type { Service } from '../service.ts';

type StreamResult = Extract<OperationResult, { readonly events: unknown }>;

/** Creates a streaming response. If it fails before it starts, its slot is released, because no edge will ever end it. */
export function streamResponse(
  { access, serverless }: Service,
  context: HttpContext,
  { events, onEnd }: StreamResult,
  envelope: Envelope,
): HttpResponse {
  let frames: EventFrames | undefined;
  try {
    frames = new EventFrames(events, context.dialect, envelope, onEnd);
    const known = access.endAtExpiry(frames, context.caller);
    const body = serverless === undefined ? known : serverless.endBeforeTimeout(frames, known, events.afterwards);
    return { status: 200, headers: withExtensions(STREAM_HEADERS, context), body };
  } catch (error) {
    if (frames === undefined) onEnd();
    else void frames.return();
    throw error;
  }
}
