/** A support agent on the AI SDK: its model looks orders up, and refunds them if the caller approves. */
import { tool } from 'ai';
import { fromAISDK } from 'tandem-a2a/ai-sdk';
import { agent } from 'tandem-a2a/server';
import { z } from 'zod';
import { model } from './model.ts';

const findOrder = tool({
  description: 'Returns the price of an order.',
  inputSchema: z.object({ order: z.string() }),
  execute: ({ order }) => ({ order, price: 40 }),
});

const refund = tool({
  description: 'Refunds an order.',
  inputSchema: z.object({ order: z.string(), amount: z.number() }),
  needsApproval: ({ amount }) => amount > 10,
  execute: ({ order, amount }) => {
    console.log(`Refunded ${amount} for ${order}`);
    return { refunded: amount };
  },
});

export const support = agent({
  name: 'Support',
  description: 'Answers questions about orders, and refunds them.',
  ...fromAISDK({ model, instructions: 'Help the customer.', tools: { findOrder, refund } }),
});
