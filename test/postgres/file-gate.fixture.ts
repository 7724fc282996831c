import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { agent } from '../../src/agent/agent.ts';

const FOLDER = process.env['TANDEM_TEST_FOLDER'] ?? '.';

function note(what: string): void {
  appendFileSync(join(FOLDER, 'notes'), `${process.pid} ${what}\n`);
}

export const fileGate = agent({
  name: 'File gate',
  description: 'Waits for a file, and logs what it does to another one.',
  async *run({ step }) {
    note('begins');
    yield 'one ';
    while (!existsSync(join(FOLDER, 'gate'))) await new Promise((resolve) => setTimeout(resolve, 20));
    try {
      yield 'two ';
      yield await step('effect', () => {
        note('acts');
        return 'three';
      });
    } catch (error) {
      note(`is stopped: ${error instanceof Error ? error.message : ''}`);
      throw error;
    }
  },
});
