import type { HttpResponse } from '../../host/http.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import { STREAM_HEADERS } from '../http/stream-headers.ts';
import type { OperationResult } from '../operations/perform-operation.ts';
import { EventFrames } from './event-frames.ts';
import { type HttpContext, withExtensions } from './http-context.ts';
import { type Envelope, SseFrames } from './sse-frames.ts';

type StreamResult = Extract<OperationResult, { readonly events: unknown }>;

/**
 * Creates a streaming response, which ends when the credentials of its caller expire, or before the host would end it. If it fails
 * before it starts, its slot is released, because no edge will ever end it.
 */
export function streamResponse(
  { host }: MountedAgent,
  context: HttpContext,
  { events, onEnd }: StreamResult,
  envelope: Envelope,
): HttpResponse {
  let cancel: (() => void) | undefined;
  let frames: EventFrames<string> | undefined;
  try {
    const opened = new EventFrames(events, context.dialect, new SseFrames(envelope), host.isClosing, () => {
      cancel?.();
      onEnd();
    });
    frames = opened;
    const end = Math.min(host.access.streamEnd(context.caller), host.continuation.streamEnd());
    if (end < Infinity) cancel = host.timers.add(end, () => opened.cutShort());
    return { status: 200, headers: withExtensions(STREAM_HEADERS, context), body: opened };
  } catch (error) {
    if (frames === undefined) onEnd();
    else void frames.return();
    throw error;
  }
}
