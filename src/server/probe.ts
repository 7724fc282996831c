import { dialectOf } from '../wire/select.ts';
import { restFailure, wrongVerb } from './error-response.ts';
import { type HttpResponse, jsonResponse } from './http.ts';
import type { Service } from './service.ts';

/** Answers who only looks, at paths where there is nothing to do. */
export function probe(
  method: string,
  answer: () => HttpResponse | Promise<HttpResponse>,
): HttpResponse | Promise<HttpResponse> {
  return method === 'GET' || method === 'HEAD' ? answer() : restFailure(dialectOf('1.0'), wrongVerb(['GET', 'HEAD']));
}

/** Ready is who can answer: the store must too. */
export async function readiness({ engine, failures, isClosing }: Service): Promise<HttpResponse> {
  if (isClosing()) return jsonResponse(503, { status: 'closing' }, { 'retry-after': '1' });
  try {
    await engine.has({ tenant: '', owner: '' }, 'readiness');
    return jsonResponse(200, { status: 'ready' });
  } catch (error) {
    failures.publicError(error);
    return jsonResponse(503, { status: 'store unavailable' }, { 'retry-after': '1' });
  }
}
