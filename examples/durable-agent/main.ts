/** An agent that asks a question, with its tasks in a SQLite file. The engine is closed while the question is open, and resumes the task. */
import { agent, Engine } from 'tandem-a2a/server';
import { sqlite } from 'tandem-a2a/sqlite';

const clerk = agent({
  name: 'Travel clerk',
  description: 'Books a train after the caller confirms it.',
  async *run({ text, step, ask }) {
    yield { status: 'working', text: 'Looking for trains…' };
    const train = await step('find', () => `the 9:05 to ${text}`); // runs once, also after a crash
    const isWanted = await ask({ confirm: `Shall I book ${train}?` }); // may take days and holds no memory
    yield isWanted ? `Booked ${train}.` : 'Nothing booked.';
  },
});

const store = sqlite(process.argv[2] ?? 'tasks.db');
const caller = { tenant: '', owner: 'ann', agent: clerk.id, caller: { id: 'ann', isVerified: true } };
const say = (text: string, taskId?: string) => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER' as const,
  parts: [{ text }],
  ...(taskId !== undefined && { taskId }),
});

let engine = await Engine.start({ store, agents: [clerk] });
const asked = await engine.send({ ...caller, message: say('Rome') });
if (!('task' in asked)) throw new Error('Expected a task');
console.log(asked.task.status.message?.parts[0]); // { text: 'Shall I book the 9:05 to Rome? (yes/no)' }
await engine.close();

// Later, in another process.
engine = await Engine.start({ store, agents: [clerk] });
const done = await engine.send({ ...caller, message: say('yes', asked.task.id) });
if ('task' in done) console.log(done.task.artifacts?.[0]?.parts[0]); // { text: 'Booked the 9:05 to Rome.' }
await engine.close();
await store.close();
