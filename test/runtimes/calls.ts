/** What a program does with the client, wherever it runs. Nothing here may know where that is. */
import { A2AError, connect, type ConnectOptions } from '../../src/index.ts';

/** Where the agents are. */
export interface Places {
  /** The scripted agent. */
  readonly url: string;
  /** One that wants a token signed with a secret. */
  readonly guardedUrl: string;
  readonly secret: string;
  readonly nowhere: string;
}

/** What came of it, with nothing in it that differs from one time to the next. */
export async function calls({ url, guardedUrl, secret, nowhere }: Places): Promise<Record<string, unknown>> {
  await using agent = await connect(url);
  await using rest = await connect(url, { binding: 'HTTP+JSON' });
  const sent = await agent.send('story');
  const asked = await agent.send('ask');
  const answered = await agent.task(asked.handle ?? '').answer('Rome');
  const held = await agent.send('hold on', { wait: 'none' });
  return {
    chosen: [agent.chosen, rest.chosen].map(({ binding, version }) => [binding, version]),
    asked: await agent.ask('Good morning, Ünïcödé 🌍'),
    blocked: await rest.send('hello', { wait: 'block' }).then(({ text }) => text),
    polled: await rest.send('hello', { wait: 'poll' }).then(({ text }) => text),
    told: await agent.send('reply Hi!').then(({ kind, text }) => [kind, text]),
    sent: [sent.state, sent.text],
    got: (await agent.get(sent.task?.id ?? '')).status.state,
    question: [asked.state, asked.text],
    answered: [answered.state, answered.text],
    canceled: (await agent.cancel(held.task?.id ?? '')).status.state,
    streamed: await streamed(url),
    signed: await ask(guardedUrl, { auth: { secret, subject: 'ada@example.com', orgDomain: 'example.com' } }),
    unsigned: await ask(guardedUrl),
    nobody: await ask(nowhere, { retries: 0 }),
    tooLarge: await ask(url, { limits: { maxEventBytes: 100 } }),
    timeout: await agent.send('hold on', { timeoutMs: 50 }).catch(codeOf),
  };
}

async function streamed(url: string): Promise<unknown> {
  await using agent = await connect(url);
  const events: unknown[] = [];
  for await (const { type, text } of agent.stream('story')) events.push([type, text]);
  // Leaving a stream ends it.
  for await (const { type } of agent.stream('hold on')) if (type === 'status') break;
  return events;
}

/** The answer to a word, or the code of what went wrong. */
async function ask(url: string, options: ConnectOptions = {}): Promise<unknown> {
  try {
    await using agent = await connect(url, { cache: false, ...options });
    return await agent.ask('hello');
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return A2AError.is(error) ? error.code : `no A2AError: ${String(error)}`;
}
