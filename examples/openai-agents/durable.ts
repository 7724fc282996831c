/** Makes the model calls and the tools of the OpenAI Agents SDK steps of a task. */
import {
  assistant,
  type Model,
  type ModelProvider,
  type ModelRequest,
  type protocol,
  type RunContext,
  Usage,
  user,
} from '@openai/agents';
import type { ConversationTurn, StepContext, TaskContext } from 'tandem-a2a/server';

type Response = protocol.StreamEventResponseCompleted['response'];

interface CallDetails {
  readonly toolCall?: protocol.FunctionCallItem;
}

/**
 * The models of a provider. Each of their calls is a step, which streams the text to the caller and records the response. After a
 * crash the SDK gets the recorded response, and the model is not called again.
 */
export function durableModels(provider: ModelProvider, { step }: TaskContext): ModelProvider {
  let hasText = false;
  const call = async (model: Model, request: ModelRequest): Promise<Response> => {
    let separator = hasText ? '\n\n' : '';
    const recorded = await step('model', async function* ({ signal }) {
      for await (const event of model.getStreamedResponse({ ...request, signal })) {
        if (event.type === 'response_done') return JSON.stringify(event.response);
        if (event.type !== 'output_text_delta') continue;
        yield separator + event.delta;
        separator = '';
      }
      throw new Error('The stream of the model ended without a response');
    });
    const response = JSON.parse(recorded) as Response;
    hasText ||= response.output.some(({ type }) => type === 'message');
    return response;
  };
  return {
    async getModel(name) {
      const model = await provider.getModel(name);
      return {
        async getResponse(request) {
          const { id, output, usage, providerData } = await call(model, request);
          return { responseId: id, output, usage: new Usage(usage), providerData };
        },
        async *getStreamedResponse(request) {
          yield { type: 'response_done', response: await call(model, request) };
        },
      };
    },
  };
}

/** The `execute` of a tool, as a step. It gets the context of the step, with an `idempotencyKey` and a `signal`. */
export function inStep<Input>(execute: (input: Input, step: StepContext) => unknown) {
  return async (input: Input, run?: RunContext<TaskContext>, details?: CallDetails): Promise<unknown> => {
    const call = details?.toolCall;
    if (run === undefined || call === undefined) throw new Error('Tools with steps run only in a handler');
    const { status, step } = run.context;
    await status(`Calling ${call.name}…`);
    return step(`tool ${call.name} ${call.callId}`, (current) => execute(input, current));
  };
}

/** The conversation as the input of a run. */
export function toInput(turns: readonly ConversationTurn[]) {
  return turns.map(({ role, text }) => (role === 'user' ? user(text) : assistant(text)));
}
