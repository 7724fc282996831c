import type { Outcome } from './call-operation.ts';
import { type Envelope, EventFrames } from './event-frames.ts';
import type { HttpResponse } from './http.ts';
import { type HttpCall, withExtensions } from './http-call.ts';
import type { Service } from './service.ts';
import { STREAM_HEADERS } from './stream-headers.ts';

type StreamOutcome = Extract<Outcome, { readonly events: unknown }>;

/** The answer that is made while it is sent. If it cannot even begin, nobody will ever end it: its place is free again. */
export function streamResponse(
  { access, serverless }: Service,
  call: HttpCall,
  { events, onEnd }: StreamOutcome,
  envelope: Envelope,
): HttpResponse {
  let frames: EventFrames | undefined;
  try {
    frames = new EventFrames(events, call.dialect, envelope, onEnd);
    const known = access.whileKnown(frames, call.caller);
    const body = serverless === undefined ? known : serverless.whileRead(frames, known, events.afterwards);
    return { status: 200, headers: withExtensions(STREAM_HEADERS, call), body };
  } catch (error) {
    if (frames === undefined) onEnd();
    else void frames.return();
    throw error;
  }
}
