/** The Tandem client as users install it. */
import { HISTORY_TASK_ID } from '../contenders/content.ts';
import { type Client, runClientContender } from '../harness/client-contender.ts';
import { importProduct } from '../harness/product.ts';
import { cardAt } from './card.ts';

const product = await importProduct<typeof import('../../src/index.ts')>('index.js');

async function connect(port: number): Promise<Client> {
  const agent = await product.connect(cardAt(port), { allowOrigins: [`http://127.0.0.1:${port}`] });
  return {
    async send(messageId, text) {
      return (await agent.send({ messageId, text }, { wait: 'block' })).text;
    },
    async get(id) {
      return (await agent.get(id)).history?.length;
    },
    async stream(messageId, chunks, take) {
      for await (const event of agent.stream({ messageId, text: 'Tell me a long story.', metadata: { chunks } })) {
        if (event.type === 'artifact') take(event.text);
      }
    },
  };
}

runClientContender(HISTORY_TASK_ID, connect);
