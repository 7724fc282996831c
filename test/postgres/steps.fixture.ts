import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agent } from '../../src/agent/agent.ts';

const GATE = join(process.env['TANDEM_TEST_FOLDER'] ?? '.', 'gate');

export const steps = agent({
  name: 'Steps',
  description: 'Runs steps: three, or as many as it takes until the file `gate` exists.',
  async *run({ text, step }) {
    for (let i = 1; ; i++) {
      // Each execution of a step returns another value.
      yield await step(`${i}`, () => `${i}:${randomUUID()} `);
      const isLast = text === 'long' ? await step(`gate ${i}`, () => existsSync(GATE)) : i === 3;
      if (isLast) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
});
