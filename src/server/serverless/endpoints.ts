import { A2AError } from '../../errors.ts';
import { isSameSecret } from '../../support/secret/same-secret.ts';
import { UNSET_RETRY_MS } from '../../host/auth/hosted.ts';
import { isObject } from '../../support/check.ts';
import { pageFailure, wrongVerb } from '../bindings/error-response.ts';
import { type HttpBody, type HttpRequest, type HttpResponse, jsonResponse, SAFE } from '../../host/http.ts';
import { PROCESS_TASK_PATH, type ServerlessSettings } from './serverless-options.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Failures } from '../../host/failure.ts';
import type { Signatures } from './signature.ts';

/** The members of `Serverless` and of the service that the endpoints use. */
export interface EndpointContext {
  readonly engine: Engine;
  readonly failures: Failures;
  readonly settings: ServerlessSettings;
  readonly signatures: Signatures | undefined;
  readonly handOver: (taskId: string) => Promise<void>;
}

/** Enough for the id of a task in JSON. */
const MAX_BODY_BYTES = 1024;
const DONE: HttpResponse = { status: 204, headers: { ...SAFE, 'cache-control': 'no-store' } };
const CHALLENGE = { 'www-authenticate': 'Bearer' } as const;
/** `Retry-After` if there is no free slot. */
const RETRY_MS = 1000;

/**
 * Runs the task that the request is signed for within the time limit, and responds then. The response is the same for every result, and
 * for a task that does not exist. Never rejects.
 */
export async function handleRun(context: EndpointContext, request: HttpRequest): Promise<HttpResponse> {
  const { engine, settings, signatures, handOver } = context;
  return guarded(context, request, 'run', async () => {
    if (request.method !== 'POST') throw wrongVerb(['POST']);
    if (signatures === undefined) throw disabled();
    const token = bearerOf(request);
    // Before the body is read.
    if (!signatures.isCurrent(token)) throw unsigned();
    const taskId = taskIn(await request.body(MAX_BODY_BYTES));
    if (taskId === undefined) throw unsigned();
    const isNative = request.path === PROCESS_TASK_PATH && (await signatures.verifyNative(token, taskId));
    if (!isNative && !(await signatures.verify(token, { run: taskId }))) throw unsigned();
    const worked = await engine.onDemand.work(taskId, { forMs: settings.runMs });
    if (worked !== 'resting') await handOver(taskId);
    if (worked === 'full')
      throw new A2AError('UNAVAILABLE', 'No free slot at the moment; retry later', { retryAfterMs: RETRY_MS });
    return DONE;
  });
}

/** Resumes abandoned tasks, and reports how many. Also accepts GET, because the schedulers of some hosts use it. Never rejects. */
export async function handleSweep(context: EndpointContext, request: HttpRequest): Promise<HttpResponse> {
  const { engine, settings, signatures, handOver } = context;
  return guarded(context, request, 'sweep', async () => {
    if (request.method !== 'POST' && request.method !== 'GET') throw wrongVerb(['POST', 'GET']);
    if (signatures === undefined && settings.cronSecret === undefined) throw disabled();
    if (!(await maySweep(context, bearerOf(request)))) throw unsigned();
    const { runMs, sweepLimit } = settings;
    const options = { forMs: runMs, limit: sweepLimit, onUnfinished: handOver };
    const { taken, unfinished, hasMore } = await engine.onDemand.sweep(options);
    const report = { taken, finished: taken - unfinished.length, handedOver: unfinished.length, hasMore };
    return jsonResponse(200, report, { 'cache-control': 'no-store' });
  });
}

async function maySweep({ settings, signatures }: EndpointContext, token: string): Promise<boolean> {
  const { cronSecret } = settings;
  if (token === '') return false;
  if (cronSecret !== undefined && (await isSameSecret(token, cronSecret))) return true;
  return signatures !== undefined && signatures.verify(token, 'sweep');
}

async function guarded(
  { failures }: EndpointContext,
  request: HttpRequest,
  operation: string,
  respond: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await respond();
  } catch (error) {
    const shown = failures.publicError(error, { request, operation });
    return pageFailure(shown, request, shown.code === 'UNAUTHENTICATED' ? CHALLENGE : undefined);
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

function unsigned(): A2AError {
  return new A2AError('UNAUTHENTICATED', 'This path accepts only signed requests of the agent to itself');
}

function disabled(): A2AError {
  return new A2AError('UNAVAILABLE', 'This path is disabled: the operator must set a secret', {
    cause: new Error('No secret is set in production: set A2A_SECRET, or serverless.secret'),
    retryAfterMs: UNSET_RETRY_MS,
  });
}
