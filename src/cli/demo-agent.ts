import { setTimeout as pause } from 'node:timers/promises';
import type { TaskContext } from '../engine/handler.ts';
import type { Output } from '../engine/output.ts';
import { agent } from '../server/agent.ts';
import type { SkillOptions } from '../server/skills.ts';

const SKILLS = [
  { id: 'hello', name: 'Hello', description: 'Greets you, word by word', examples: ['hello', 'hello Ada'] },
  {
    id: 'report',
    name: 'Report',
    description: 'Hands over a file',
    examples: ['report'],
    outputModes: ['text/csv', 'text/plain'],
  },
  { id: 'book', name: 'Book', description: 'Asks back before it does anything', examples: ['book Rome', 'book'] },
  {
    id: 'job',
    name: 'Job',
    description: 'Works for a while, and goes on after a crash where it was',
    examples: ['job', 'job 30'],
  },
  { id: 'help', name: 'Help', description: 'Says what to say', examples: ['help'] },
] as const satisfies readonly SkillOptions[];

const MENU = ['Say one of these:', ...SKILLS.map(({ examples: [say], description }) => `  ${say}: ${description}`)];

/** Shows what an agent can do, without a model and without a key. */
export const demoAgent = agent({
  name: 'Tandem demo',
  description: `Streams, hands over a file, asks back, works on after a crash. Say ${SKILLS.map(({ id }) => id).join(', ')}.`,
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
  const text = `Hello, ${name}! I say this word by word, as a model would. Ask me for help to see what else I do.`;
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
    description: 'The trains of today',
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

/** Each line names the process that did the part: after a crash there are two, and no part is done by both. */
async function* work({ step, sleep }: TaskContext, parts: number): AsyncGenerator<Output, undefined> {
  yield { status: 'working', text: `${parts} parts, a second each. Kill me and start me again: I go on where I was.` };
  for (let part = 1; part <= parts; part++) {
    await sleep(1000);
    yield await step(`part ${part}`, () => `Part ${part} of ${parts} was done by process ${process.pid}\n`);
  }
  return undefined;
}
