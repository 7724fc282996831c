import { A2AError } from '../../errors.ts';
import { isSameSecret } from '../../support/same-secret.ts';
import { dialectOf } from '../../wire/select.ts';
import { UNSET_RETRY_MS } from '../auth/hosted.ts';
import { isObject } from '../check.ts';
import { restFailure, wrongVerb } from '../error-response.ts';
import { type HttpBody, type HttpRequest, type HttpResponse, jsonResponse, SAFE } from '../http.ts';
import { PROCESS_TASK_PATH } from '../serverless-options.ts';
import type { Service } from '../service.ts';
import type { Serverless } from './serverless.ts';

/** The id of a task and what is around it. */
const MAX_BODY_BYTES = 1024;
const DONE: HttpResponse = { status: 204, headers: { ...SAFE, 'cache-control': 'no-store' } };
const CHALLENGE = { 'www-authenticate': 'Bearer' } as const;
/** When whoever found no place may ask again. */
const RETRY_MS = 1000;

/**
 * Runs the task that the request is signed for, as far as there is time, and answers then. The answer is the same whatever
 * came of it, and whether there is such a task or not. Never rejects.
 */
export async function answerRun(serverless: Serverless, service: Service, request: HttpRequest): Promise<HttpResponse> {
  return guarded(service, request, 'run', async () => {
    if (request.method !== 'POST') throw wrongVerb(['POST']);
    const { settings, signatures } = serverless;
    if (signatures === undefined) throw closed();
    const token = bearerOf(request);
    // Before the body is read.
    if (!signatures.isCurrent(token)) throw refused();
    const taskId = taskIn(await request.body(MAX_BODY_BYTES));
    if (taskId === undefined) throw refused();
    const isNative = request.path === PROCESS_TASK_PATH && (await signatures.verifyNative(token, taskId));
    if (!isNative && !(await signatures.verify(token, { run: taskId }))) throw refused();
    const worked = await service.engine.onDemand.work(taskId, { forMs: settings.runMs });
    if (worked !== 'resting') await serverless.handOver(taskId);
    if (worked === 'full')
      throw new A2AError('UNAVAILABLE', 'There is no place here at the moment', { retryAfterMs: RETRY_MS });
    return DONE;
  });
}

/** Takes up what was left, and tells how much. Also by GET, which is how some hosts call. Never rejects. */
export async function answerSweep(
  serverless: Serverless,
  service: Service,
  request: HttpRequest,
): Promise<HttpResponse> {
  return guarded(service, request, 'sweep', async () => {
    if (request.method !== 'POST' && request.method !== 'GET') throw wrongVerb(['POST', 'GET']);
    const { settings, signatures } = serverless;
    if (signatures === undefined && settings.cronSecret === undefined) throw closed();
    if (!(await maySweep(serverless, bearerOf(request)))) throw refused();
    const { runMs, sweepLimit } = settings;
    const onUnfinished = (taskId: string): Promise<void> => serverless.handOver(taskId);
    const options = { forMs: runMs, limit: sweepLimit, onUnfinished };
    const { taken, unfinished, hasMore } = await service.engine.onDemand.sweep(options);
    const report = { taken, finished: taken - unfinished.length, handedOver: unfinished.length, hasMore };
    return jsonResponse(200, report, { 'cache-control': 'no-store' });
  });
}

async function maySweep({ settings, signatures }: Serverless, token: string): Promise<boolean> {
  const { cronSecret } = settings;
  if (token === '') return false;
  if (cronSecret !== undefined && (await isSameSecret(token, cronSecret))) return true;
  return signatures !== undefined && signatures.verify(token, 'sweep');
}

async function guarded(
  { failures }: Service,
  request: HttpRequest,
  operation: string,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await answer();
  } catch (error) {
    const shown = failures.publicError(error, { request, operation });
    return restFailure(dialectOf('1.0'), shown, request, shown.code === 'UNAUTHENTICATED' ? CHALLENGE : undefined);
  }
}

function bearerOf(request: HttpRequest): string {
  return /^bearer +(\S.*)$/i.exec(request.header('authorization') ?? '')?.[1] ?? '';
}

function taskIn(body: HttpBody): string | undefined {
  const json = 'json' in body ? body.json : parsed(body.text);
  const taskId = isObject(json) ? json['taskId'] : undefined;
  return typeof taskId === 'string' && taskId !== '' ? taskId : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(): A2AError {
  return new A2AError('UNAUTHENTICATED', 'This path is for the agent itself');
}

function closed(): A2AError {
  return new A2AError('UNAVAILABLE', 'This path is closed', {
    cause: new Error('No secret is set in production: set A2A_SECRET, or serverless.secret'),
    retryAfterMs: UNSET_RETRY_MS,
  });
}
