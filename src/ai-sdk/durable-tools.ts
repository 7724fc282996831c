/** Tools whose executions are steps, and whose approvals are questions to the caller. */
import type { ToolSet } from 'ai';
import type { TaskContext } from '../server/index.ts';
import { fromRecord, toRecord } from './record.ts';

interface ExecutionOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal;
  readonly [option: string]: unknown;
}

/** The members of a tool that are read. The types of the AI SDK differ between its versions. */
interface AnyTool {
  readonly title?: string;
  readonly needsApproval?: boolean | ((input: unknown, options: ExecutionOptions) => boolean | PromiseLike<boolean>);
  readonly execute?: (input: unknown, options: ExecutionOptions) => unknown;
}

/** A call of a tool that needs approval. */
export interface ApprovalCall {
  /** The name of the tool. */
  readonly toolName: string;
  /** The title of the tool, if it has one. */
  readonly title: string | undefined;
  /** The input that the model wrote. */
  readonly input: unknown;
}

/** Options of `durableTools()`. */
export interface DurableToolsOptions {
  /** Returns the question that the caller is asked before a tool runs. Default: "May I run refund with this input?" and the input. */
  readonly approvalText?: (call: ApprovalCall) => string;
}

/**
 * Makes each execution of a tool a step of the task: a tool that has run is not run again after a crash. Before a tool with
 * `needsApproval` runs, the caller is asked; without approval the model gets an error as the result of its call.
 *
 * Tools receive `idempotencyKey` in their options, the same for every attempt at the same call; see `idempotencyKeyOf()`.
 *
 * @example
 * const result = streamText({ model: durable(model, ctx), tools: durableTools(tools, ctx), prompt: ctx.text });
 */
export function durableTools<T extends ToolSet>(
  tools: T,
  ctx: Pick<TaskContext, 'step' | 'ask'>,
  { approvalText = defaultText }: DurableToolsOptions = {},
): T {
  const wrapped = Object.entries(tools as Record<string, AnyTool>).map(([name, tool]) => [
    name,
    durableTool(name, tool, ctx, approvalText),
  ]);
  return Object.fromEntries(wrapped) as T;
}

/**
 * Returns the key that is the same for every attempt at a tool call, for systems that do each request with a key once.
 *
 * @param options The second argument of the `execute` of a tool.
 * @throws TypeError if the tool was not run by `durableTools()` or `fromAISDK()`.
 */
export function idempotencyKeyOf(options: object): string {
  if ('idempotencyKey' in options && typeof options.idempotencyKey === 'string') return options.idempotencyKey;
  throw new TypeError('The options have no idempotencyKey. Wrap the tool with durableTools(), or use fromAISDK().');
}

function durableTool(
  name: string,
  tool: AnyTool,
  { step, ask }: Pick<TaskContext, 'step' | 'ask'>,
  approvalText: (call: ApprovalCall) => string,
): AnyTool {
  const { needsApproval, execute, ...more } = tool;
  // The caller or the provider runs it, so there is nothing to record.
  if (execute === undefined) return tool;
  return {
    ...more,
    async execute(input, options) {
      const key = `tool ${name} ${options.toolCallId}`;
      if (needsApproval !== undefined && needsApproval !== false) {
        const isNeeded =
          needsApproval === true ||
          (await step(`${key} approval`, async () => needsApproval(input, options), { repeats: 'yields' }));
        if (isNeeded && !(await ask({ confirm: approvalText({ toolName: name, title: tool.title, input }) })))
          throw new Error('The user did not approve this call.');
      }
      return fromRecord(
        await step(
          key,
          async ({ idempotencyKey }) =>
            toRecord(await lastOf(execute.call(tool, input, { ...options, idempotencyKey }))),
          { repeats: 'yields' },
        ),
      );
    },
  };
}

function defaultText({ toolName, title = toolName, input }: ApprovalCall): string {
  const text = JSON.stringify(input, null, 2);
  return text === undefined || text === '{}' ? `May I run ${title}?` : `May I run ${title} with this input?\n${text}`;
}

/** A tool can yield preliminary results. The last one counts. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const one of result as AsyncIterable<unknown>) last = one;
  return last;
}
