/** A support agent on LangGraph: its model looks orders up, and refunds them if the caller approves. */
import { SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, interrupt, isInterrupted, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { agent } from 'tandem-a2a/server';
import { z } from 'zod';
import { DurableRun, toMessages } from './durable.ts';
import { model } from './model.ts';

const findOrder = tool(
  ({ order }, config) =>
    DurableRun.of(config).callTool(config, () => {
      console.log(`Looked up ${order}`);
      return { order, price: order === 'A-1' ? 40 : 5 };
    }),
  { name: 'findOrder', description: 'Returns the price of an order.', schema: z.object({ order: z.string() }) },
);

/** A question of the graph, which the handler passes on to the caller. */
interface Approval {
  readonly confirm: string;
}

const refund = tool(
  ({ order, amount }, config) => {
    const question = { confirm: `May I refund ${amount} for ${order}?` };
    if (amount > 10 && !interrupt<Approval, boolean>(question)) return 'The user did not approve this refund.';
    return DurableRun.of(config).callTool(config, () => {
      console.log(`Refunded ${amount} for ${order}`);
      return { refunded: amount };
    });
  },
  {
    name: 'refund',
    description: 'Refunds an order.',
    schema: z.object({ order: z.string(), amount: z.number() }),
  },
);

const tools = [findOrder, refund];
const modelWithTools = model.bindTools(tools);

const clerk = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }, config) => {
    const prompt = [new SystemMessage('Help the customer.'), ...messages];
    return { messages: await DurableRun.of(config).callModel(modelWithTools, prompt) };
  })
  .addNode('tools', new ToolNode(tools))
  .addEdge('__start__', 'model')
  .addConditionalEdges('model', toolsCondition)
  .addEdge('tools', 'model');

export const support = agent({
  name: 'Support',
  description: 'Answers questions about orders, and refunds them.',
  tools,
  async run(ctx) {
    // Lives as long as this run: after a crash the recorded steps lead the graph to the same place.
    const graph = clerk.compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: ctx.taskId, run: new DurableRun(ctx) }, signal: ctx.signal };
    let state: unknown = await graph.invoke({ messages: toMessages(await ctx.conversation()) }, config);
    while (isInterrupted<Approval>(state)) {
      const resume: Record<string, boolean> = {};
      for (const { id, value } of state.__interrupt__)
        if (id !== undefined && value !== undefined) resume[id] = await ctx.ask(value);
      state = await graph.invoke(new Command({ resume }), config);
    }
  },
});
