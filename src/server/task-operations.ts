import { A2AError } from '../errors.ts';
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SubscribeToTaskRequest,
} from '../model/operation.ts';
import { isTerminal, type TaskState } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { TRANSITIONS } from '../model/transitions.ts';
import type { GetTaskOptions } from '../engine/engine.ts';
import type { StreamItem } from '../engine/subscribe.ts';
import type { TaskAccess } from '../engine/task-access.ts';
import { withTransitions } from '../wire/transitions.ts';
import { renameTask, underName } from './aliases.ts';
import { type Call, accessOf } from './call.ts';
import { decodePageToken, encodePageToken } from './page-token.ts';
import { readPage } from './task-page.ts';
import { requireStreaming, type TaskEvents } from './send-operations.ts';
import type { Service } from './service.ts';
import { taskNamed } from './task-name.ts';

export async function getTask(service: Service, call: Call, input: GetTaskRequest): Promise<Task> {
  const access = accessOf(service, call, input);
  const { id, alias } = await taskNamed(service, call, access, input.id);
  const { historyLength } = input;
  const options = historyLength === undefined ? {} : { historyLength };
  const read =
    service.stateTransitionHistory && call.activate(TRANSITIONS.uri)
      ? getWithTransitions(service, call, access, id, options)
      : service.engine.get(access, id, options);
  const task = await underName(read, id, alias);
  const { serverless } = service;
  if (serverless !== undefined) await serverless.asked(access, id, call.waitUntil, task.status);
  return renameTask(task, alias);
}

async function getWithTransitions(
  { engine }: Service,
  { dialect }: Call,
  access: TaskAccess,
  taskId: string,
  options: GetTaskOptions,
): Promise<Task> {
  const { task, ...transitions } = await engine.getWithTransitions(access, taskId, options);
  return withTransitions(task, transitions, dialect);
}

export async function cancelTask(service: Service, call: Call, input: CancelTaskRequest): Promise<Task> {
  const access = accessOf(service, call, input);
  const { id, alias } = await taskNamed(service, call, access, input.id);
  if (service.offer.strict === true && call.dialect.cancelIsIdempotent !== true) {
    assertNotCanceled(await underName(service.engine.get(access, id, { historyLength: 0 }), id, alias), input.id);
  }
  const task = await underName(service.engine.cancel(access, id), id, alias);
  await service.serverless?.canceled(id, call.waitUntil);
  return renameTask(task, alias);
}

function assertNotCanceled({ status: { state } }: Task, taskId: string): void {
  if (state !== 'TASK_STATE_CANCELED') return;
  throw new A2AError('TASK_NOT_CANCELABLE', `Task ${taskId} is already canceled`, { details: { taskId, state } });
}

const PAGE_SIZE = 50;

export async function listTasks(service: Service, call: Call, input: ListTasksRequest): Promise<ListTasksResponse> {
  service.access.requireListing(call.caller);
  const access = accessOf(service, call, input);
  const { contextId, status, statusTimestampAfter, pageToken, historyLength, includeArtifacts = false } = input;
  const pageSize = Math.min(input.pageSize ?? PAGE_SIZE, service.limits.settings.pageSize);
  // A token is good for the same list only, on pages of whatever size.
  const asked = JSON.stringify([access.tenant, access.owner, contextId, status, statusTimestampAfter]);
  const { tasks, next, total } = await readPage((query) => service.engine.list(access, query), {
    limit: pageSize,
    artifacts: includeArtifacts,
    ...(historyLength !== undefined && { history: historyLength }),
    ...(contextId !== undefined && { contextId }),
    ...(status !== undefined && { states: [status] }),
    ...(statusTimestampAfter !== undefined && { statusSince: Date.parse(statusTimestampAfter) }),
    ...(pageToken !== undefined && pageToken !== '' && { after: decodePageToken(pageToken, asked) }),
  });
  return {
    tasks: includeArtifacts ? tasks.map(withArtifacts) : tasks,
    nextPageToken: next === undefined ? '' : encodePageToken(next, asked),
    pageSize,
    totalSize: total,
  };
}

/** Who asked for artifacts is told that there are none (1.0 §3.1.4). */
function withArtifacts(task: Task): Task {
  return task.artifacts === undefined ? { ...task, artifacts: [] } : task;
}

export async function subscribeToTask(
  service: Service,
  call: Call,
  input: SubscribeToTaskRequest,
): Promise<TaskEvents> {
  requireStreaming(service);
  const { engine } = service;
  const { dialect, lastEventId, signal } = call;
  const access = accessOf(service, call, input);
  const { id, alias } = await taskNamed(service, call, access, input.id);
  const events = {
    alias,
    historyLength: undefined,
    endsAtQuestion: !dialect.subscribesToTheEnd && dialect.staysOpenAtQuestion !== true,
  };
  await service.serverless?.asked(access, id, call.waitUntil);
  if (lastEventId !== undefined) {
    // 0.1 numbers artifacts as they come: to go on it must know those that came.
    const seen = dialect.clientNamesTasks ? await engine.get(access, id, { historyLength: 0 }) : undefined;
    // Asked here, for the stream itself says nothing before something happens.
    if (seen === undefined && !(await engine.has(access, id))) throw unknownTask(id);
    const after = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : Number.NaN;
    const items = engine.subscribe(access, id, { after, signal });
    return seen === undefined ? { ...events, items } : { ...events, items, seen };
  }
  const items = engine.subscribe(access, id, { signal });
  const iterator = items[Symbol.asyncIterator]();
  const opened: IteratorResult<readonly StreamItem[], unknown> = await underName(iterator.next(), id, alias);
  const first = opened.done === true ? [] : opened.value;
  const state = dialect.subscribesToTheEnd ? stateAtEnd(first) : undefined;
  if (state === undefined) return { ...events, first, items };
  await iterator.return?.();
  throw finished(id, state);
}

/** The state of a task that has ended, if a stream begins with one. */
function stateAtEnd([first]: readonly StreamItem[]): TaskState | undefined {
  if (first?.kind !== 'snapshot') return undefined;
  const { state } = first.task.status;
  return isTerminal(state) ? state : undefined;
}

/** There is nothing to come, and the task itself is there to be got (1.0 §3.1.6). */
function finished(taskId: string, state: TaskState): A2AError {
  return new A2AError('UNSUPPORTED_OPERATION', `Task ${taskId} has ended: get it instead of subscribing to it`, {
    details: { taskId, state },
  });
}

function unknownTask(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} does not exist`, { details: { taskId } });
}
