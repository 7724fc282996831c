/** A2A agents as tools and as models of the AI SDK. */
import * as ai from 'ai';
import type { LanguageModel, Tool } from 'ai';
import type { AgentClient, Reply } from '../index.ts';

/** The input of a tool that calls an agent. */
export interface AgentToolInput {
  /** The message to the agent. */
  readonly message: string;
  /** The task whose question the message answers. */
  readonly taskId?: string;
}

/** The output of a tool that calls an agent: its text, or a question that it asks. */
export type AgentToolOutput = string | AgentToolQuestion;

/** A question of an agent that a tool called. */
export interface AgentToolQuestion {
  /** The text of the question. */
  readonly question: string;
  /** The task that waits for the answer. */
  readonly taskId: string;
}

/** Options of `asTool()`. */
export interface AgentToolOptions {
  /** Describes the tool to the model. Default: the description on the card of the agent. */
  readonly description?: string;
}

const QUESTION_RULE =
  'If the result has a question, call this tool again with the answer as message and with the same taskId.';

/**
 * Makes an A2A agent a tool of a model. The model writes the message and gets the text of the result. An agent that asks a question
 * returns it with the id of its task, and the model can answer it with a second call.
 *
 * @example
 * const researcher = await connect('https://research.example');
 * const { text } = await generateText({ model, tools: { research: asTool(researcher) }, prompt });
 */
export function asTool(client: AgentClient, options: AgentToolOptions = {}): Tool<AgentToolInput, AgentToolOutput> {
  const { description = `${client.card.name}: ${client.card.description}` } = options;
  return ai.tool({
    description: `${description}\n${QUESTION_RULE}`,
    inputSchema: ai.jsonSchema<AgentToolInput>({
      type: 'object',
      properties: {
        message: { type: 'string', description: 'The request to the agent, complete in itself.' },
        taskId: { type: 'string', description: 'The taskId of the question that the message answers.' },
      },
      required: ['message'],
      additionalProperties: false,
    }),
    async execute({ message, taskId }, execution): Promise<AgentToolOutput> {
      const { abortSignal } = execution;
      // The same id for each attempt, so that the agent recognises a message that was sent before a crash.
      const key: unknown = Reflect.get(execution, 'idempotencyKey');
      const reply = await client.send(
        { text: message, ...(typeof key === 'string' && { messageId: key }) },
        { ...(taskId !== undefined && { taskId }), ...(abortSignal !== undefined && { signal: abortSignal }) },
      );
      return outputOf(reply);
    },
  });
}

function outputOf(reply: Reply): AgentToolOutput {
  const { state, text } = reply;
  if (state === undefined || state === 'completed') return text;
  if (state === 'input-required' || state === 'auth-required') return { question: text, taskId: reply.task.id };
  throw new Error(
    text === '' ? `The task of the agent ended as ${state}.` : `The task of the agent ended as ${state}: ${text}`,
  );
}

/** Options of `asModel()`. */
export interface AgentModelOptions {
  /**
   * The conversation of the agent to continue. With it, only the last message of the prompt is sent, because the agent knows the
   * earlier ones. Without it, a prompt with several messages is sent as one text.
   */
  readonly contextId?: string;
}

interface PromptMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

interface CallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly abortSignal?: AbortSignal;
}

/**
 * Makes an A2A agent a model of the AI SDK: `generateText` and `streamText` send their prompt as a message, and the output of the
 * agent is the text of the model. Settings such as `temperature` and `tools` have no effect.
 *
 * @example
 * const { textStream } = streamText({ model: asModel(await connect(url)), prompt: 'Summarise the news.' });
 */
export function asModel(client: AgentClient, { contextId }: AgentModelOptions = {}): LanguageModel {
  const isV2 = Reflect.get(ai, 'ToolLoopAgent') === undefined;
  const end = isV2
    ? { finishReason: 'stop', usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined } }
    : {
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: undefined, text: undefined, reasoning: undefined },
        },
      };
  const options = ({ abortSignal }: CallOptions): { contextId?: string; signal?: AbortSignal } => ({
    ...(contextId !== undefined && { contextId }),
    ...(abortSignal !== undefined && { signal: abortSignal }),
  });
  const model = {
    specificationVersion: isV2 ? 'v2' : 'v3',
    provider: 'a2a',
    modelId: client.card.name,
    supportedUrls: {},
    async doGenerate(call: CallOptions) {
      const text = await client.ask(messageOf(call.prompt, contextId), options(call));
      return { content: [{ type: 'text', text }], warnings: [], ...end };
    },
    async doStream(call: CallOptions) {
      const events = client.stream(messageOf(call.prompt, contextId), options(call));
      return { stream: streamOf(textsOf(events), end) };
    },
  };
  return model as unknown as LanguageModel;
}

/** The text of artifacts as it arrives; of an agent without artifacts, the text of its last event. */
async function* textsOf(events: ReturnType<AgentClient['stream']>): AsyncGenerator<string, undefined> {
  let hasText = false;
  let last = { state: 'completed', text: '' };
  for await (const event of events) {
    if (event.type === 'message') last = { state: 'completed', text: event.text };
    else if (event.type !== 'artifact') last = { state: event.state, text: event.text };
    if (event.type !== 'artifact' || event.text === '') continue;
    hasText = true;
    yield event.text;
  }
  if (last.state !== 'completed') throw new Error(`The task of the agent ended as ${last.state}: ${last.text}`);
  if (!hasText && last.text !== '') yield last.text;
  return undefined;
}

function streamOf(texts: AsyncGenerator<string, undefined>, end: object): ReadableStream<object> {
  const id = '0';
  let isOpen = false;
  return new ReadableStream<object>({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] });
    },
    async pull(controller) {
      const { done, value } = await texts.next().catch((error: unknown) => {
        controller.enqueue({ type: 'error', error });
        return { done: true as const, value: undefined };
      });
      if (done === true) {
        if (isOpen) controller.enqueue({ type: 'text-end', id });
        controller.enqueue({ type: 'finish', ...end });
        return controller.close();
      }
      if (!isOpen) controller.enqueue({ type: 'text-start', id });
      isOpen = true;
      controller.enqueue({ type: 'text-delta', id, delta: value });
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

function messageOf(prompt: readonly PromptMessage[], contextId: string | undefined): string {
  const last = prompt.at(-1);
  if (last === undefined) throw new TypeError('The prompt has no message');
  if (prompt.length === 1 || contextId !== undefined) return textOf(last);
  return prompt.map((message) => `${message.role}: ${textOf(message)}`).join('\n\n');
}

function textOf({ content }: PromptMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? text : [])).join('\n');
}
