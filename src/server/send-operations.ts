import type { Submission } from '../engine/submission.ts';
import type { StreamItem } from '../engine/subscribe.ts';
import { withHistory } from '../engine/task-page.ts';
import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { SendMessageRequest, SendMessageResponse } from '../model/operation.ts';
import type { Task } from '../model/task.ts';
import type { Writable } from '../support/writable.ts';
import { renameTask, underName } from './aliases.ts';
import { type Call, accessOf, requireTenant } from './call.ts';
import { inlinePushConfig } from './push-operations.ts';
import { namedSkill } from './named-skill.ts';
import { scrubMessage, scrubMetadata } from './scrub-metadata.ts';
import type { Service } from './service.ts';
import { answerByToolResult } from './tool-results.ts';

/** The answer of a streaming operation, before it is written in anybody's words. */
export interface TaskEvents {
  /** What has been taken from `items` already. */
  readonly first?: readonly StreamItem[];
  /** Can be gone through once. */
  readonly items: AsyncIterable<readonly StreamItem[]>;
  /** What the caller calls the task, if not by our id. */
  readonly alias: string | undefined;
  /** Of the first task in it. */
  readonly historyLength: number | undefined;
  /** Whether the stream is over when the task asks its caller something. */
  readonly endsAtQuestion: boolean;
  /** For one who comes back: the task whose beginning he has. */
  readonly seen?: Task;
  /** Whether the task at its beginning is shown as the events that lead to it. */
  readonly beginsWithEvents?: boolean;
  /** To be done when the stream is over, before the answer ends. */
  readonly afterwards?: () => Promise<void>;
}

export async function sendMessage(
  service: Service,
  call: Call,
  input: SendMessageRequest,
): Promise<SendMessageResponse> {
  const isAsync = input.configuration?.returnImmediately === true || call.dialect.sendReturnsAtOnce === true;
  const submission = await submissionOf(service, call, input, isAsync);
  const { serverless, engine } = service;
  const result =
    serverless === undefined
      ? await submit(submission, (each) => engine.send(each))
      : await serverless.whileSent(submission, call.waitUntil, (kept) => submit(kept, (each) => engine.send(each)));
  const { alias } = submission;
  if ('message' in result) return alias === undefined ? result : { message: { ...result.message, taskId: alias } };
  return { task: renameTask(withHistory(result.task, input.configuration?.historyLength), alias) };
}

export async function sendStreamingMessage(
  service: Service,
  call: Call,
  input: SendMessageRequest,
): Promise<TaskEvents> {
  requireStreaming(service);
  // Who wants a stream waits for what comes, whatever he says of waiting (1.0 §3.2.2).
  const submission = await submissionOf(service, call, input, false);
  const { serverless, engine } = service;
  const historyLength = input.configuration?.historyLength;
  const events = (items: TaskEvents['items']): TaskEvents => {
    return { items, alias: submission.alias, historyLength, endsAtQuestion: call.dialect.staysOpenAtQuestion !== true };
  };
  if (serverless === undefined) return events((await submit(submission, (each) => engine.stream(each))).items);
  const kept = serverless.keep(submission, call.waitUntil);
  const { items } = await kept.unlessFailed(submit(kept.submission, (each) => engine.stream(each)));
  return { ...events(items), afterwards: () => kept.answered() };
}

/** @throws A2AError `UNSUPPORTED_OPERATION` (1.0 §3.3.4) */
export function requireStreaming({ streaming }: Service): void {
  if (streaming) return;
  throw new A2AError('UNSUPPORTED_OPERATION', 'This agent does not stream: send the message and poll the task', {
    details: { capability: 'streaming' },
  });
}

async function submissionOf(
  service: Service,
  call: Call,
  input: SendMessageRequest,
  returnImmediately: boolean,
): Promise<Submission> {
  requireExtensions(service, call);
  // A task that is not there is not found, wherever it is looked for.
  if (input.message.taskId === undefined) requireTenant(call, input);
  const { agent, engine } = service;
  const { configuration, metadata } = input;
  const access = accessOf(service, call, input);
  const pushConfig = inlinePushConfig(service, call, configuration?.taskPushNotificationConfig, input.message.taskId);
  // Plain assignments: this is on the way of every message.
  const submission: Writable<Submission> = {
    tenant: access.tenant,
    owner: access.owner,
    agent: agent.id,
    message: scrubMessage(input.message),
    caller: call.caller,
    extensions: call.extensions,
  };
  if (returnImmediately) submission.returnImmediately = true;
  else submission.signal = call.signal;
  if (configuration?.acceptedOutputModes !== undefined)
    submission.acceptedOutputModes = configuration.acceptedOutputModes;
  const { fairnessKey } = call;
  if (fairnessKey !== undefined) submission.fairnessKey = fairnessKey;
  const skillId = agent.namesSkills ? namedSkill(input) : undefined;
  if (skillId !== undefined) submission.skillId = skillId;
  if (metadata !== undefined) submission.metadata = scrubMetadata(metadata);
  const { trace } = call;
  if (trace !== undefined) submission.trace = trace;
  if (call.timeoutMs !== undefined) submission.timeoutMs = call.timeoutMs;
  if (call.idempotencyKey !== undefined) submission.idempotencyKey = call.idempotencyKey;
  if (!service.deduplicateByMessageId) submission.deduplicateByMessageId = false;
  if (pushConfig !== undefined) submission.pushConfig = pushConfig;
  const { toolResultIn } = call.dialect;
  if (toolResultIn !== undefined) {
    const { message, answers } = await answerByToolResult(service, toolResultIn, access, submission.message);
    submission.message = message;
    if (answers !== undefined) submission.answers = answers;
  }
  if (call.dialect.clientNamesTasks && input.message.taskId !== undefined) {
    submission.alias = input.message.taskId;
    const known = await engine.resolveAlias(access, submission.alias);
    submission.message =
      known === undefined ? withoutTask(submission.message) : { ...submission.message, taskId: known };
  }
  return submission;
}

/**
 * Every message of 0.1 names its task, also the one that makes it. When that one comes a second time, under the same key,
 * the task is there and would take it for a follow-up: its outcome is what is wanted.
 */
async function submit<T>(submission: Submission, run: (submission: Submission) => Promise<T>): Promise<T> {
  const { alias, message, idempotencyKey } = submission;
  if (alias === undefined || message.taskId === undefined) return run(submission);
  try {
    return await underName(run(submission), message.taskId, alias);
  } catch (error) {
    if (idempotencyKey === undefined) throw error;
    return run({ ...submission, message: withoutTask(message) }).catch(() => {
      throw error;
    });
  }
}

function withoutTask({ taskId: _, ...message }: Message): Message {
  return message;
}

/** Only messages are held to it, not reads and cancels (1.0 §3.3.4). */
function requireExtensions({ agent }: Service, { extensions }: Call): void {
  if (agent.card.extensions === undefined) return;
  const missing = agent.card.extensions
    .filter(({ uri, required }) => required === true && !extensions.includes(uri))
    .map(({ uri }) => uri);
  if (missing.length === 0) return;
  throw new A2AError(
    'EXTENSION_SUPPORT_REQUIRED',
    `This agent needs an extension: name it in the header A2A-Extensions: ${missing.join(', ')}`,
    { details: { requiredExtensions: missing.join(',') } },
  );
}
