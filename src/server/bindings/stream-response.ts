import type { OperationResult } from './perform-operation.ts';
import { type Envelope, EventFrames } from './event-frames.ts';
import { STREAM_HEADERS } from '../http/stream-headers.ts';
import type { HttpResponse } from '../../host/http.ts';
import { type HttpContext, withExtensions } from './http-context.ts';
import type { Service } from '../service.ts';

type StreamResult = Extract<OperationResult, { readonly events: unknown }>;

/** Creates a streaming response. If it fails before it starts, its slot is released, because no edge will ever end it. */
export function streamResponse(
  { access, serverless, timers }: Service,
  context: HttpContext,
  { events, onEnd }: StreamResult,
  envelope: Envelope,
): HttpResponse {
  let frames: EventFrames | undefined;
  try {
    let cancel: (() => void) | undefined;
    frames = new EventFrames(events, context.dialect, envelope, () => {
      cancel?.();
      onEnd();
    });
    const end = Math.min(access.streamEnd(context.caller), serverless?.streamEnd() ?? Infinity);
    const opened = frames;
    if (end < Infinity) cancel = timers.add(end, () => opened.cutShort());
    return { status: 200, headers: withExtensions(STREAM_HEADERS, context), body: frames };
  } catch (error) {
    if (frames === undefined) onEnd();
    else void frames.return();
    throw error;
  }
}
