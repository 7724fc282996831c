import { setTimeout as pause } from 'node:timers/promises';
import type { TaskContext } from '../../engine/handler.ts';
import type { Output } from '../../engine/output/output.ts';
import { agent } from '../../agent/agent.ts';
import type { SkillOptions } from '../../agent/skills.ts';

const SKILLS = [
  { id: 'hello', name: 'Hello', description: 'Streams a greeting word by word', examples: ['hello', 'hello Ada'] },
  {
    id: 'report',
    name: 'Report',
    description: 'Sends a CSV file',
    examples: ['report'],
    outputModes: ['text/csv', 'text/plain'],
  },
  {
    id: 'book',
    name: 'Book',
    description: 'Asks for confirmation before it books a train',
    examples: ['book Rome', 'book'],
  },
  {
    id: 'job',
    name: 'Job',
    description: 'Works for some seconds, and resumes after a crash',
    examples: ['job', 'job 30'],
  },
  { id: 'help', name: 'Help', description: 'Lists these commands', examples: ['help'] },
] as const satisfies readonly SkillOptions[];

const MENU = ['Send one of these:', ...SKILLS.map(({ examples: [text], description }) => `  ${text}: ${description}`)];

/** Shows the features of an agent without a model and without a key. */
export const demoAgent = agent({
  name: 'Tandem demo',
  description: `Streams text, sends a file, asks a question, resumes after a crash. Send ${SKILLS.map(({ id }) => id).join(', ')}.`,
  skills: SKILLS,
  async *run(ctx) {
    const [, word = '', after = ''] = /^\W*(\w*)(.*)$/s.exec(ctx.text) ?? [];
    const rest = after.trim();
    switch (word.toLowerCase()) {
      case 'hello':
        return yield* greet(ctx, rest || 'you');
      case 'report':
        return yield* report();
      case 'book':
        return yield* book(ctx, rest);
      case 'job':
        return yield* work(ctx, Math.min(Math.max(Number.parseInt(rest, 10) || 10, 1), 1000));
      default:
        return ctx.reply(MENU.join('\n'));
    }
  },
});

async function* greet({ signal }: TaskContext, name: string): AsyncGenerator<Output, undefined> {
  const text = `Hello, ${name}! This text arrives word by word, like the output of a model. Send help to see what else I can do.`;
  for (const word of text.split(/(?<= )/)) {
    yield word;
    await pause(50, undefined, { signal });
  }
  return undefined;
}

async function* report(): AsyncGenerator<Output, undefined> {
  yield { status: 'working', text: 'Counting trains…' };
  yield {
    artifact: 'trains.csv',
    description: 'Trains today',
    text: 'city,trains\nParis,31\nRome,12\nVienna,24\n',
    filename: 'trains.csv',
    mediaType: 'text/csv',
  };
  return undefined;
}

async function* book({ ask, step }: TaskContext, wish: string): AsyncGenerator<Output, undefined> {
  const city = wish || (await ask('Where to?'));
  yield { status: 'working', text: `Looking for trains to ${city}…` };
  const train = await step('find', () => `the 9:05 to ${city}`);
  const isWanted = await ask({ confirm: `Shall I book ${train}?` });
  yield isWanted ? `Booked ${train}.` : 'Nothing booked.';
  return undefined;
}

/** Each line names the process that did the part. After a crash there are two processes, and no part is done by both. */
async function* work({ step, sleep }: TaskContext, parts: number): AsyncGenerator<Output, undefined> {
  yield {
    status: 'working',
    text: `${parts} parts, one second each. Kill this process and start it again: the job resumes.`,
  };
  for (let part = 1; part <= parts; part++) {
    await sleep(1000);
    yield await step(`part ${part}`, () => `Part ${part} of ${parts} was done by process ${process.pid}\n`);
  }
  return undefined;
}
