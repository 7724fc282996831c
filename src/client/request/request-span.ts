import type { Span, Tracer } from '../../observe/tracer.ts';
import type { OutgoingRequest } from './interceptor.ts';
import type { Trace } from './trace.ts';

/** Creates a span for one request, until its response headers arrive. Without a given trace, it is a child of the active span. */
export async function inSpan<Answer extends { readonly status: number }>(
  tracer: Tracer,
  trace: Trace,
  { operation, url, headers }: OutgoingRequest,
  send: (span: Span) => Promise<Answer>,
): Promise<Answer> {
  const span = tracer.start(`a2a.client.${operation}`, 'client', (trace.parent ??= tracer.active()), {
    'a2a.operation': operation,
    'a2a.version': headers['a2a-version'],
    'server.address': new URL(url).host,
  });
  // Further requests of the call belong to the same trace, also if this span started it.
  trace.parent ??= span.context;
  try {
    const answer = await span.within(() => send(span));
    span.set('http.response.status_code', answer.status);
    span.end(answer.status < 400 ? undefined : new Error(`The agent responded with ${answer.status}`));
    return answer;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
