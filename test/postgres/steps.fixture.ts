import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agent } from '../../src/server/agent/agent.ts';

const GATE = join(process.env['TANDEM_TEST_FOLDER'] ?? '.', 'gate');

export const steps = agent({
  name: 'Steps',
  description: 'Does one step after the other: three, or as many as it takes until a gate is open.',
  async *run({ text, step }) {
    for (let i = 1; ; i++) {
      // No two executions of a step give the same.
      yield await step(`${i}`, () => `${i}:${randomUUID()} `);
      const isLast = text === 'long' ? await step(`gate ${i}`, () => existsSync(GATE)) : i === 3;
      if (isLast) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
});
