/** A support agent on the OpenAI Agents SDK: its model looks orders up, and refunds them if the caller approves. */
import { Agent, Runner, tool } from '@openai/agents';
import { agent, type TaskContext } from 'tandem-a2a/server';
import { z } from 'zod';
import { durableModels, inStep, toInput } from './durable.ts';
import { provider } from './model.ts';

const findOrder = tool({
  name: 'findOrder',
  description: 'Returns the price of an order.',
  parameters: z.object({ order: z.string() }),
  execute: inStep(({ order }) => {
    console.log(`Looked up ${order}`);
    return { order, price: order === 'A-1' ? 40 : 5 };
  }),
});

const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: z.object({ order: z.string(), amount: z.number() }),
  needsApproval: async (_run, { amount }) => amount > 10,
  execute: inStep(({ order, amount }) => {
    console.log(`Refunded ${amount} for ${order}`);
    return { refunded: amount };
  }),
});

const clerk = new Agent<TaskContext>({ name: 'Clerk', instructions: 'Help the customer.', tools: [findOrder, refund] });

export const support = agent({
  name: 'Support',
  description: 'Answers questions about orders, and refunds them.',
  tools: [findOrder, refund],
  async run(ctx) {
    const runner = new Runner({ modelProvider: durableModels(provider, ctx), tracingDisabled: true });
    const options = { context: ctx, signal: ctx.signal };
    let result = await runner.run(clerk, toInput(await ctx.conversation()), options);
    while (result.interruptions.length > 0) {
      for (const call of result.interruptions) {
        const isApproved = await ctx.ask({ confirm: `May I run ${call.name} with ${call.arguments}?` });
        if (isApproved) result.state.approve(call);
        else result.state.reject(call);
      }
      result = await runner.run(clerk, result.state, options);
    }
  },
});
