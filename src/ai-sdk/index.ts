/** `tandem-a2a/ai-sdk`: agents of the AI SDK on Tandem, and A2A agents in the AI SDK. */
export { durable, type DurableOptions, type ModelObject } from './durable-model.ts';
export { type ApprovalCall, durableTools, type DurableToolsOptions, idempotencyKeyOf } from './durable-tools.ts';
export { type AISDKAgent, type AISDKAgentOptions, type AISDKAgentSettings, fromAISDK } from './from-ai-sdk.ts';
export { toModelMessages } from './messages.ts';
export { type StreamedText, textOf } from './text-of.ts';
export {
  type AgentModelOptions,
  type AgentToolInput,
  type AgentToolOptions,
  type AgentToolOutput,
  type AgentToolQuestion,
  asModel,
  asTool,
} from './remote-agent.ts';
