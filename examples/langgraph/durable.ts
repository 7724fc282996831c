/** Makes the model calls and the tools of a LangGraph graph steps of a task. */
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from '@langchain/core/messages';
import type { Runnable, RunnableConfig } from '@langchain/core/runnables';
import type { ToolRunnableConfig } from '@langchain/core/tools';
import type { ConversationTurn, StepContext, TaskContext } from 'tandem-a2a/server';

/** One run of a graph in a handler. Its nodes and tools find it in their config. */
export class DurableRun {
  readonly #ctx: TaskContext;
  readonly #tools = new Map<string, Promise<unknown>>();
  #hasText = false;

  constructor(ctx: TaskContext) {
    this.#ctx = ctx;
  }

  static of(config: RunnableConfig): DurableRun {
    const run: unknown = config.configurable?.['run'];
    if (run instanceof DurableRun) return run;
    throw new Error('This graph runs only in a handler: pass { configurable: { run: new DurableRun(ctx) } }');
  }

  /**
   * Calls a model in a step, which streams the text to the caller and records the message. After a crash the graph gets the recorded
   * message, and the model is not called again.
   */
  async callModel(
    model: Runnable<BaseLanguageModelInput, AIMessageChunk>,
    messages: BaseMessage[],
  ): Promise<BaseMessage[]> {
    let separator = this.#hasText ? '\n\n' : '';
    const recorded = await this.#ctx.step('model', async function* ({ signal }) {
      let message: AIMessageChunk | undefined;
      for await (const chunk of await model.stream(messages, { signal })) {
        message = message === undefined ? chunk : message.concat(chunk);
        if (chunk.text === '') continue;
        yield separator + chunk.text;
        separator = '';
      }
      if (message === undefined) throw new Error('The stream of the model ended without a message');
      return JSON.stringify(mapChatMessagesToStoredMessages([message]));
    });
    const response = mapStoredMessagesToChatMessages(JSON.parse(recorded) as StoredMessage[]);
    this.#hasText ||= response.some(({ text }) => text !== '');
    return response;
  }

  /**
   * Runs the effect of a tool in a step, which has an `idempotencyKey` and a `signal`. LangGraph runs the tools of a node again when it
   * resumes after an interrupt; each call of the model has its effect only once nevertheless.
   */
  callTool({ toolCall }: ToolRunnableConfig, effect: (step: StepContext) => unknown): Promise<unknown> {
    const { name, id } = toolCall ?? {};
    if (name === undefined || id === undefined) throw new Error('The model called a tool without an id');
    const known = this.#tools.get(id);
    if (known !== undefined) return known;
    const running = this.#runTool(name, id, effect);
    this.#tools.set(id, running);
    return running;
  }

  async #runTool(name: string, id: string, effect: (step: StepContext) => unknown): Promise<unknown> {
    await this.#ctx.status(`Calling ${name}…`);
    return this.#ctx.step(`tool ${name} ${id}`, effect);
  }
}

/** The conversation as the messages of a graph. */
export function toMessages(turns: readonly ConversationTurn[]): BaseMessage[] {
  return turns.map(({ role, text }) => (role === 'user' ? new HumanMessage(text) : new AIMessage(text)));
}
