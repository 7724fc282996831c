import type { JsonObject } from '../model/json.ts';
import type { Part } from '../model/part.ts';
import type { Task } from '../model/task.ts';
import type {
  Ask,
  AskOptions,
  AuthorizationRequest,
  AuthorizeOptions,
  ChunkOptions,
  Question,
  TaskContext,
} from './handler.ts';
import { contained } from './contain.ts';
import { taskOf } from './event-body.ts';
import { filesOf, incoming } from './incoming.ts';
import { copyOf } from './json-value.ts';
import type { LoadedTask } from './load-task.ts';
import { emissionOf, type OutputContent, type StatusOutput } from './output.ts';
import { prepareQuestion } from './question.ts';
import type { Run } from './run.ts';
import type { TaskWriter } from './task-writer.ts';

/** How many earlier tasks a handler gets if it does not say. */
const EARLIER_TASKS = 20;

/** What a handler sees of its run. Functions, not methods, so that they can be taken off. */
export function createContext(run: Run, task: LoadedTask, writer: TaskWriter): TaskContext {
  const { record, origin, trigger } = task;
  const message = incoming(trigger.message);

  const say = (output: unknown): Promise<void> => contained(run, spoken(run, output));

  const ask = async (
    state: 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED',
    question: Question,
    options: AskOptions,
  ) => {
    const { timeoutMs = run.agent.limits.questionTtlMs } = options;
    if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs must be a number above 0, not ${timeoutMs}`);
    const prepared = copyOf(prepareQuestion(question, options));
    run.outputs.assertSize(prepared.parts);
    return copyOf(await run.waits.ask(state, prepared, timeoutMs));
  };

  const answered = async (question: Question, options: AskOptions): Promise<unknown> => {
    const answer = await ask('TASK_STATE_INPUT_REQUIRED', question, options);
    return options.as === 'message' ? incoming(answer as never) : answer;
  };

  const authorized = async (request: string | AuthorizationRequest, options: AuthorizeOptions): Promise<string> => {
    const text = typeof request === 'string' ? request : authorizationText(request);
    return (await ask('TASK_STATE_AUTH_REQUIRED', text, {
      ...options,
      sensitive: options.sensitive ?? true,
    })) as string;
  };

  return {
    message,
    text: message.text,
    parts: message.parts,
    get files() {
      const { maxTaskBytes: maxBytes } = run.agent.limits;
      const files = filesOf(message.parts, { fetchFile: run.env.fetchFile, maxBytes, signal: run.signal });
      return files.map((file) => ({ ...file, bytes: () => contained(run, file.bytes()) }));
    },

    get task() {
      return currentTask(task, writer);
    },
    taskId: record.id,
    contextId: record.contextId,
    history: ({ limit = EARLIER_TASKS } = {}) => contained(run, earlierTasks(run, limit)),

    caller: copyOf(origin.caller),
    tenant: record.tenant,
    extensions: [...(trigger.extensions ?? [])],
    metadata: copyOf(trigger.metadata ?? {}),
    acceptedOutputModes: [...origin.acceptedOutputModes],
    get signal() {
      return run.signal;
    },

    status: (status) =>
      say(typeof status === 'string' ? { status: 'working', text: status } : (status satisfies StatusOutput)),
    artifact: (artifact) => ({
      append: (content, options) => say(chunk(artifact, content, { ...options, append: true })),
      replace: (content, options) => say(chunk(artifact, content, { ...options, append: false })),
    }),

    reply: (content) => {
      const parts = partsOf(content);
      run.outputs.assertSize(parts);
      run.conclude({ kind: 'reply', parts });
      return undefined;
    },
    reject: (reason) => {
      const parts = reason === undefined ? [] : partsOf(reason);
      run.outputs.assertSize(parts);
      run.conclude({ kind: 'end', state: 'TASK_STATE_REJECTED', parts });
      return undefined;
    },

    ask: ((question: Question, options?: AskOptions) => contained(run, answered(question, options ?? {}))) as Ask,
    authorize: (request, options = {}) => contained(run, authorized(request, options)),

    inbox: {
      take: () => contained(run, run.inbox.take()),
      [Symbol.asyncIterator]: () => run.inbox[Symbol.asyncIterator](),
    },
    step: (name, work, options) => contained(run, run.steps.step(name, work, options)),
    sleep: (ms) => contained(run, run.waits.sleep(ms)),
  };
}

async function spoken(run: Run, output: unknown): Promise<void> {
  run.emit(output);
  await run.room();
}

function chunk(
  artifact: string,
  content: string | OutputContent,
  options: ChunkOptions & { readonly append: boolean },
): object {
  return { artifact, ...(typeof content === 'string' ? { text: content } : content), ...options };
}

function partsOf(content: string | OutputContent): readonly Part[] {
  return emissionOf(content).parts;
}

function authorizationText({ text, url, scopes = [] }: AuthorizationRequest): string {
  return [
    text,
    ...(url === undefined ? [] : [url]),
    ...(scopes.length === 0 ? [] : [`Scopes: ${scopes.join(', ')}`]),
  ].join('\n');
}

function currentTask({ record }: LoadedTask, writer: TaskWriter): Task {
  const { id, contextId } = record;
  const artifacts = writer.artifacts.artifacts();
  const metadata: JsonObject | undefined = writer.record.metadata;
  return copyOf({
    id,
    contextId,
    status: writer.status,
    ...(artifacts.length > 0 && { artifacts }),
    history: writer.conversation.messages,
    ...(metadata !== undefined && { metadata }),
  });
}

async function earlierTasks(run: Run, limit: number): Promise<readonly Task[]> {
  const { record, env } = run;
  const query = { agents: [record.agent], contextId: record.contextId, limit: limit + 1, artifacts: true };
  const { tasks } = await run.reading(() => env.store.list(record, query));
  return tasks
    .filter((other) => other.record.id !== record.id)
    .slice(0, limit)
    .map((other) => copyOf(taskOf(other)));
}
