import type { Span, Tracer } from '../observe/tracer.ts';
import type { OutgoingRequest } from './interceptor.ts';
import type { Trace } from './trace.ts';

/** Makes a span of one request, up to the head of its answer. What is given no trace belongs to the active span. */
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
  // Further requests of the call are in the same trace, also if it began here.
  trace.parent ??= span.context;
  try {
    const answer = await span.within(() => send(span));
    span.set('http.response.status_code', answer.status);
    span.end(answer.status < 400 ? undefined : new Error(`The agent answered with status ${answer.status}`));
    return answer;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
