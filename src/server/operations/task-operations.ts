import { A2AError } from '../../errors.ts';
import type { ListTasksRequest } from '../../model/operation.ts';
import { isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { TRANSITIONS } from '../../model/transitions.ts';
import type { GetTaskOptions } from '../../engine/engine.ts';
import type { StreamItem } from '../../engine/stream/subscribe.ts';
import type { TaskAccess } from '../../engine/tasks/task-access.ts';
import { isText } from '../../engine/tasks/task-page.ts';
import { NO_CONTINUATION } from '../../host/continuation.ts';
import type { TaskQuery } from '../../store/store.ts';
import { operationCodec } from '../../wire/dialect.ts';
import { withTransitions } from '../../wire/transitions.ts';
import { renameTask, taskNamed, underName } from './aliases.ts';
import { type RequestContext, accessOf } from '../../host/request-context.ts';
import { decodePageToken, encodePageToken, readPage } from './task-page.ts';
import { requireStreaming } from './send-operations.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import { type Perform, type PerformAsText, ResultText, type Stream } from './operation.ts';

export const getTask: Perform<'GetTask'> = async (mounted, context, input) => {
  const { access, id, alias } = await taskNamed(mounted, context, input, input.id);
  const { historyLength } = input;
  const options = historyLength === undefined ? {} : { historyLength };
  const read =
    mounted.stateTransitionHistory && context.activate(TRANSITIONS.uri)
      ? getWithTransitions(mounted, context, access, id, options)
      : mounted.host.engine.get(access, id, options);
  const task = await underName(read, id, alias);
  const resumed = mounted.host.continuation.resumeIfStale(access, id, context.waitUntil, task.status);
  if (resumed !== undefined) await resumed;
  return renameTask(task, alias);
};

/** Like `getTask`, as the text that the store has, if nothing else is part of the response. */
export const getTaskText: PerformAsText<'GetTask'> = async (mounted, context, input) => {
  const { engine, continuation } = mounted.host;
  const needsTask = mounted.stateTransitionHistory && context.activate(TRANSITIONS.uri);
  if (needsTask || continuation !== NO_CONTINUATION) return getTask(mounted, context, input);
  const { id, historyLength } = input;
  const options = historyLength === undefined ? {} : { historyLength };
  const task = await engine.getText(accessOf(mounted, context, input), id, options);
  return isText(task) ? new ResultText(task.text) : task;
};

async function getWithTransitions(
  { host: { engine } }: MountedAgent,
  { dialect }: RequestContext,
  access: TaskAccess,
  taskId: string,
  options: GetTaskOptions,
): Promise<Task> {
  const { task, ...transitions } = await engine.getWithTransitions(access, taskId, options);
  return withTransitions(task, transitions, dialect);
}

export const cancelTask: Perform<'CancelTask'> = async (mounted, context, input) => {
  const { access, id, alias } = await taskNamed(mounted, context, input, input.id);
  if (mounted.offer.strict === true && context.dialect.cancelIsIdempotent !== true) {
    assertNotCanceled(await underName(mounted.host.engine.get(access, id, { historyLength: 0 }), id, alias), input.id);
  }
  const task = await underName(mounted.host.engine.cancel(access, id), id, alias);
  await mounted.host.continuation.canceled(id, context.waitUntil);
  return renameTask(task, alias);
};

function assertNotCanceled({ status: { state } }: Task, taskId: string): void {
  if (state !== 'TASK_STATE_CANCELED') return;
  throw new A2AError('TASK_NOT_CANCELABLE', `Task ${taskId} is already canceled`, { details: { taskId, state } });
}

const PAGE_SIZE = 50;

export const listTasks: Perform<'ListTasks'> = async (mounted, context, input) => {
  const { access, filters, query } = listQuery(mounted, context, input);
  const { tasks, next, total } = await readPage((one) => mounted.host.engine.list(access, one), query);
  return {
    tasks: query.artifacts === true ? tasks.map(withArtifacts) : tasks,
    nextPageToken: next === undefined ? '' : encodePageToken(next, filters),
    pageSize: query.limit,
    totalSize: total,
  };
};

/** Like `listTasks`, made of the texts that the store has. */
export const listTaskTexts: PerformAsText<'ListTasks'> = async (mounted, context, input) => {
  // A task without artifacts gets an empty array, which is not in its text.
  if (input.includeArtifacts === true) return listTasks(mounted, context, input);
  const { access, filters, query } = listQuery(mounted, context, input);
  const { tasks, next, total } = await readPage((one) => mounted.host.engine.listTexts(access, one), query);
  const { encode } = operationCodec(context.dialect, 'GetTask').result;
  const texts = tasks.map((task) => (isText(task) ? task.text : JSON.stringify(encode(task))));
  const token = JSON.stringify(next === undefined ? '' : encodePageToken(next, filters));
  return new ResultText(
    `{"tasks":[${texts.join(',')}],"nextPageToken":${token},"pageSize":${query.limit},"totalSize":${total}}`,
  );
};

interface ListQuery {
  readonly access: Required<TaskAccess>;
  /** A token is valid only for a list with the same filters; the page size may change. */
  readonly filters: string;
  readonly query: TaskQuery;
}

function listQuery(mounted: MountedAgent, context: RequestContext, input: ListTasksRequest): ListQuery {
  mounted.host.access.requireListing(context.caller);
  const access = accessOf(mounted, context, input);
  const { contextId, status, statusTimestampAfter, pageToken, historyLength, includeArtifacts = false } = input;
  const filters = JSON.stringify([access.tenant, access.owner, contextId, status, statusTimestampAfter]);
  const query = {
    limit: Math.min(input.pageSize ?? PAGE_SIZE, mounted.host.limits.settings.pageSize),
    artifacts: includeArtifacts,
    ...(historyLength !== undefined && { history: historyLength }),
    ...(contextId !== undefined && { contextId }),
    ...(status !== undefined && { states: [status] }),
    ...(statusTimestampAfter !== undefined && { statusSince: Date.parse(statusTimestampAfter) }),
    ...(pageToken !== undefined && pageToken !== '' && { after: decodePageToken(pageToken, filters) }),
  };
  return { access, filters, query };
}

/** If artifacts are requested, a task without any has an empty array (1.0 §3.1.4). */
function withArtifacts(task: Task): Task {
  return task.artifacts === undefined ? { ...task, artifacts: [] } : task;
}

export const subscribeToTask: Stream<'SubscribeToTask'> = async (mounted, context, input) => {
  requireStreaming(mounted);
  const { engine, continuation } = mounted.host;
  const { dialect, lastEventId, signal } = context;
  const { access, id, alias } = await taskNamed(mounted, context, input, input.id);
  const events = {
    alias,
    historyLength: undefined,
    endsAtQuestion: !dialect.subscribesToTheEnd && dialect.staysOpenAtQuestion !== true,
  };
  await continuation.resumeIfStale(access, id, context.waitUntil);
  if (lastEventId !== undefined) {
    // 0.1 numbers artifacts in order, so the encoder must know those that were already sent.
    const seen = dialect.clientNamesTasks ? await engine.get(access, id, { historyLength: 0 }) : undefined;
    // Checked here, because the stream itself yields nothing until the next event.
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
};

/** The state of the task, if the stream begins with a snapshot of an ended task. */
function stateAtEnd([first]: readonly StreamItem[]): TaskState | undefined {
  if (first?.kind !== 'snapshot') return undefined;
  const { state } = first.task.status;
  return isTerminal(state) ? state : undefined;
}

/** The task has no further events; the caller can get the task instead (1.0 §3.1.6). */
function finished(taskId: string, state: TaskState): A2AError {
  return new A2AError('UNSUPPORTED_OPERATION', `Task ${taskId} has ended: get it instead of subscribing to it`, {
    details: { taskId, state },
  });
}

function unknownTask(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} does not exist`, { details: { taskId } });
}
