import * as ai from 'ai';
import type { LanguageModel, ToolSet } from 'ai';
import type { Output, TaskContext, Tools } from '../server/index.ts';
import { durable } from './durable-model.ts';
import { type ApprovalCall, durableTools } from './durable-tools.ts';
import { toModelMessages } from './messages.ts';

/** The settings of an agent of the AI SDK: those of its `ToolLoopAgent`. */
export interface AISDKAgentSettings {
  /** The model. Each of its calls is a step. */
  readonly model: LanguageModel;
  /** The system prompt. */
  readonly instructions?: string;
  /** The tools of the model. Each execution is a step, and the card lists them as skills. */
  readonly tools?: ToolSet;
  /** Returns the question that the caller is asked before a tool with `needsApproval` runs. */
  readonly approvalText?: (call: ApprovalCall) => string;
  /** Further settings, such as `stopWhen`, `temperature` or `providerOptions`, are passed on. */
  readonly [setting: string]: unknown;
}

/** An agent that was made with `new ToolLoopAgent(…)`. */
export interface AISDKAgent {
  /** The tools of the agent. */
  readonly tools: ToolSet;
  /** Runs the agent. Not called; the server runs an agent with the same settings. */
  stream(options: never): unknown;
}

/** The options of `agent()` that `fromAISDK` returns. */
export interface AISDKAgentOptions {
  /** Runs the model loop for a message. */
  readonly run: (ctx: TaskContext) => AsyncGenerator<Output, Output | undefined>;
  /** The tools of the model, for the card. */
  readonly tools: Tools;
}

interface StreamPart {
  readonly type: string;
  readonly text?: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly title?: string;
  readonly error?: unknown;
  readonly file?: { readonly uint8Array: Uint8Array; readonly mediaType: string };
  readonly finishReason?: string;
  readonly totalUsage?: Readonly<Record<string, unknown>>;
}

/**
 * Turns an agent of the AI SDK into the `run` and `tools` of a Tandem agent.
 *
 * - The conversation of the context becomes the messages of the model, and its text is streamed.
 * - Each model call and each execution of a tool is a step: neither is repeated after a crash.
 * - A tool call is published as a status. A tool with `needsApproval` asks the caller first.
 * - The token usage is in the metadata of the last status, as `usage`.
 *
 * @example
 * export const weather = agent({
 *   name: 'Weather',
 *   description: 'Answers questions about the weather.',
 *   ...fromAISDK({ model, instructions: 'Be brief.', tools: { getWeather } }),
 * });
 */
export function fromAISDK(given: AISDKAgentSettings | AISDKAgent): AISDKAgentOptions {
  const settings = settingsOf(given);
  return { run: (ctx) => run(settings, ctx), tools: settings.tools ?? {} };
}

function settingsOf(given: AISDKAgentSettings | AISDKAgent): AISDKAgentSettings {
  const settings: unknown =
    'stream' in given && typeof given.stream === 'function' ? Reflect.get(given, 'settings') : given;
  if (typeof settings === 'object' && settings !== null && 'model' in settings) return settings as AISDKAgentSettings;
  throw new TypeError(
    'fromAISDK() expects the settings of a ToolLoopAgent, such as { model, instructions, tools }, or a ToolLoopAgent',
  );
}

async function* run(settings: AISDKAgentSettings, ctx: TaskContext): AsyncGenerator<Output, Output | undefined> {
  const { model, tools = {}, approvalText, ...more } = settings;
  const agent = createAgent({
    ...more,
    model: durable(model, ctx),
    tools: durableTools(tools, ctx, approvalText === undefined ? {} : { approvalText }),
    // Errors are parts of the stream, too. By default the AI SDK prints them.
    onError: settings['onError'] ?? (() => undefined),
  });
  const { fullStream } = await agent.stream({ messages: await toModelMessages(ctx), abortSignal: ctx.signal });
  let hasText = false;
  let needsBreak = false;
  let last: StreamPart | undefined;
  for await (const part of fullStream) {
    switch (part.type) {
      case 'text-start':
        needsBreak = hasText;
        break;
      case 'text-delta': {
        const text = part.text ?? part.delta ?? '';
        if (text === '') break;
        yield needsBreak ? `\n\n${text}` : text;
        hasText = true;
        needsBreak = false;
        break;
      }
      case 'file':
        if (part.file !== undefined) yield { bytes: part.file.uint8Array, mediaType: part.file.mediaType };
        break;
      case 'tool-call':
        yield { status: 'working', text: `Calling ${part.title ?? part.toolName}…` };
        break;
      case 'error':
        throw part.error;
      case 'finish':
        last = part;
        break;
      default:
    }
  }
  if (last === undefined) return undefined;
  const { inputTokens, outputTokens, totalTokens } = last.totalUsage ?? {};
  const usage = Object.entries({ inputTokens, outputTokens, totalTokens }).filter(([, n]) => typeof n === 'number');
  return {
    status: 'completed',
    metadata: {
      usage: Object.fromEntries(usage) as Record<string, number>,
      finishReason: last.finishReason ?? 'other',
    },
  };
}

interface AgentOfSDK {
  stream(options: unknown): PromiseLike<{ readonly fullStream: AsyncIterable<StreamPart> }>;
}

/** An agent of the installed version of the AI SDK. Version 5 has it under another name, with a `system` prompt. */
function createAgent(settings: Readonly<Record<string, unknown>>): AgentOfSDK {
  const Current = Reflect.get(ai, 'ToolLoopAgent') as (new (settings: unknown) => AgentOfSDK) | undefined;
  if (Current !== undefined) return new Current(settings);
  const Earlier = Reflect.get(ai, 'Experimental_Agent') as new (settings: unknown) => AgentOfSDK;
  const { instructions, stopWhen = ai.stepCountIs(20), ...more } = settings;
  return new Earlier({ stopWhen, ...(instructions !== undefined && { system: instructions }), ...more });
}
