import { agentMark, checkLineage } from '../../engine/calls/lineage.ts';
import type { Submission } from '../../engine/tasks/submission.ts';
import { withHistory } from '../../engine/tasks/task-page.ts';
import type { TaskAccess } from '../../engine/tasks/task-access.ts';
import { A2AError, invalidField } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { LINEAGE, type Lineage } from '../../model/lineage.ts';
import type { Message } from '../../model/message.ts';
import { QUESTIONS } from '../../model/question.ts';
import type { SendMessageRequest } from '../../model/operation.ts';
import { isRecord } from '../../support/json/to-json.ts';
import type { Writable } from '../../support/writable.ts';
import { lineageIn } from '../../wire/lineage.ts';
import { renameTask, underName } from './aliases.ts';
import { type RequestContext, accessOf, requireTenant } from '../../host/request-context.ts';
import { inlinePushConfig } from './push-operations.ts';
import { scrubMessage, scrubMetadata } from './scrub-metadata.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import { answerByToolResult } from './tool-results.ts';
import type { Perform, Stream } from './operation.ts';

export const sendMessage: Perform<'SendMessage'> = async (mounted, context, input) => {
  const isAsync = input.configuration?.returnImmediately === true || context.dialect.sendReturnsAtOnce === true;
  const given = submissionOf(mounted, context, input, isAsync);
  const submission = 'then' in given ? await given : given;
  const { continuation, engine } = mounted.host;
  const result = await continuation.send(submission, context.waitUntil, (prepared) =>
    submit(prepared, (each) => engine.send(each)),
  );
  const { alias } = submission;
  if ('message' in result) return alias === undefined ? result : { message: { ...result.message, taskId: alias } };
  return { task: renameTask(withHistory(result.task, input.configuration?.historyLength), alias) };
};

export const sendStreamingMessage: Stream<'SendStreamingMessage'> = async (mounted, context, input) => {
  requireStreaming(mounted);
  // A stream ignores returnImmediately (1.0 §3.2.2).
  const submission = await submissionOf(mounted, context, input, false);
  const { continuation, engine } = mounted.host;
  const { items, afterwards } = await continuation.stream(submission, context.waitUntil, (prepared) =>
    submit(prepared, (each) => engine.stream(each)),
  );
  return {
    items,
    alias: submission.alias,
    historyLength: input.configuration?.historyLength,
    endsAtQuestion: context.dialect.staysOpenAtQuestion !== true,
    ...(afterwards !== undefined && { afterwards }),
  };
};

/** @throws A2AError `UNSUPPORTED_OPERATION` (1.0 §3.3.4) */
export function requireStreaming({ streaming }: MountedAgent): void {
  if (streaming) return;
  throw new A2AError(
    'UNSUPPORTED_OPERATION',
    'This agent does not support streaming: send the message and poll the task',
    {
      details: { capability: 'streaming' },
    },
  );
}

/** Returns a promise only if something has to be read, because awaiting one delays every message. */
function submissionOf(
  mounted: MountedAgent,
  context: RequestContext,
  input: SendMessageRequest,
  returnImmediately: boolean,
): Submission | Promise<Submission> {
  requireExtensions(mounted, context);
  // For a follow-up the task is simply not found in the tenant of another caller.
  if (input.message.taskId === undefined) requireTenant(context, input);
  const { agent } = mounted;
  const { configuration, metadata } = input;
  const access = accessOf(mounted, context, input);
  const pushConfig = inlinePushConfig(
    mounted,
    context,
    configuration?.taskPushNotificationConfig,
    input.message.taskId,
  );
  // Plain assignments instead of spreads, because this is on the hot path of every message.
  const submission: Writable<Submission> = {
    tenant: access.tenant,
    owner: access.owner,
    agent: agent.id,
    message: scrubMessage(input.message),
    caller: context.caller,
    extensions: context.extensions,
  };
  if (returnImmediately) submission.returnImmediately = true;
  else submission.signal = context.signal;
  if (configuration?.acceptedOutputModes !== undefined)
    submission.acceptedOutputModes = configuration.acceptedOutputModes;
  const { fairnessKey } = context;
  if (fairnessKey !== undefined) submission.fairnessKey = fairnessKey;
  const skillId = agent.namesSkills ? namedSkill(input) : undefined;
  if (skillId !== undefined) submission.skillId = skillId;
  if (metadata !== undefined) submission.metadata = scrubMetadata(metadata);
  const { trace } = context;
  if (trace !== undefined) submission.trace = trace;
  if (context.timeoutMs !== undefined) submission.timeoutMs = context.timeoutMs;
  if (context.idempotencyKey !== undefined) submission.idempotencyKey = context.idempotencyKey;
  const lineage = admittedLineage(mounted, input.message);
  if (lineage !== undefined) {
    submission.lineage = lineage;
    context.activate(LINEAGE.uri);
  }
  if (!mounted.deduplicateByMessageId) submission.deduplicateByMessageId = false;
  if (pushConfig !== undefined) submission.pushConfig = pushConfig;
  const questionId = namedQuestion(input.message);
  if (questionId !== undefined) submission.answers = questionId;
  const { toolResultIn, clientNamesTasks } = context.dialect;
  return toolResultIn === undefined && !clientNamesTasks
    ? submission
    : adapted(mounted, context, input, access, submission);
}

/** The submission in the terms of this server, for dialects with tool results or with names of tasks. */
async function adapted(
  mounted: MountedAgent,
  { dialect: { toolResultIn, clientNamesTasks } }: RequestContext,
  input: SendMessageRequest,
  access: Required<TaskAccess>,
  submission: Writable<Submission>,
): Promise<Submission> {
  if (toolResultIn !== undefined) {
    const { message, answers } = await answerByToolResult(mounted, toolResultIn, access, submission.message);
    submission.message = message;
    if (answers !== undefined) submission.answers = answers;
  }
  if (clientNamesTasks && input.message.taskId !== undefined) {
    submission.alias = input.message.taskId;
    const known = await mounted.host.engine.resolveAlias(access, submission.alias);
    submission.message =
      known === undefined ? withoutTask(submission.message) : { ...submission.message, taskId: known };
  }
  return submission;
}

/**
 * Every message of 0.1 names its task, including the one that creates it. If that message is repeated with the same idempotency key,
 * the task exists and would treat it as a follow-up. Then it is sent again without the task, to get the result of the first one.
 */
function submit<T>(submission: Submission, run: (submission: Submission) => Promise<T>): Promise<T> {
  const { alias, message } = submission;
  if (alias === undefined || message.taskId === undefined) return run(submission);
  return submitNamed(submission, message.taskId, alias, run);
}

async function submitNamed<T>(
  submission: Submission,
  taskId: string,
  alias: string,
  run: (submission: Submission) => Promise<T>,
): Promise<T> {
  const { message, idempotencyKey } = submission;
  try {
    return await underName(run(submission), taskId, alias);
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

/**
 * The lineage that a message claims. Answers do not need one, because the lineage of their task is known.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION` for a cycle, and for a chain of calls that is too long.
 */
function admittedLineage({ agent, host }: MountedAgent, message: Message): Lineage | undefined {
  const lineage = message.metadata === undefined ? undefined : lineageIn(message);
  if (lineage === undefined) return undefined;
  const called = { name: agent.id, mark: agentMark(host.identity, agent.id), maxDepth: host.maxDepth };
  const problem = checkLineage(lineage, called);
  if (problem === undefined) return lineage;
  const { cause, text } = problem;
  const details = cause === 'cycle' ? { guard: cause } : { limit: cause };
  throw new A2AError('UNSUPPORTED_OPERATION', text, { details });
}

/** Required extensions apply only to messages, not to reads and cancels (1.0 §3.3.4). */
function requireExtensions({ agent }: MountedAgent, { extensions }: RequestContext): void {
  if (agent.card.extensions === undefined) return;
  const missing = agent.card.extensions
    .filter(({ uri, required }) => required === true && !extensions.includes(uri))
    .map(({ uri }) => uri);
  if (missing.length === 0) return;
  throw new A2AError(
    'EXTENSION_SUPPORT_REQUIRED',
    `Required extensions are missing: list them in the A2A-Extensions header: ${missing.join(', ')}`,
    { details: { requiredExtensions: missing.join(',') } },
  );
}

/**
 * The skill that a message specifies: `skillId` in the metadata of the message, otherwise of the request.
 *
 * @throws A2AError `INVALID_PARAMS` if the two differ, or if one is not a string.
 */
function namedSkill({ message, metadata }: SendMessageRequest): string | undefined {
  const ofMessage = readName(message.metadata, 'message.metadata.skillId');
  const ofRequest = readName(metadata, 'metadata.skillId');
  if (ofMessage !== undefined && ofRequest !== undefined && ofMessage !== ofRequest) {
    throw invalidField('metadata.skillId', 'expected the skill that the message names, or none');
  }
  return ofMessage ?? ofRequest;
}

/**
 * The id of the question that a message names.
 *
 * @throws A2AError `INVALID_PARAMS`
 */
function namedQuestion({ metadata, taskId }: Message): string | undefined {
  if (metadata === undefined || !Object.hasOwn(metadata, QUESTIONS.uri)) return undefined;
  const field = `message.metadata["${QUESTIONS.uri}"]`;
  const value = metadata[QUESTIONS.uri];
  const questionId = isRecord(value) ? value['questionId'] : undefined;
  if (typeof questionId !== 'string') throw invalidField(field, 'expected { questionId } with the id of a question');
  if (taskId === undefined) throw invalidField(field, 'expected a message with the taskId of the task that asks');
  return questionId;
}

function readName(metadata: JsonObject | undefined, field: string): string | undefined {
  const value: JsonValue | undefined =
    metadata !== undefined && Object.hasOwn(metadata, 'skillId') ? metadata['skillId'] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalidField(field, 'expected the id of a skill');
}
