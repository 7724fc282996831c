/** Calls of the client that run in every runtime. They use no API of a runtime. */
import { A2AError, connect, type ConnectOptions } from '../../src/index.ts';

/** The addresses of the agents. */
export interface Addresses {
  /** The scripted agent. */
  readonly url: string;
  /** An agent that requires a token signed with `secret`. */
  readonly guardedUrl: string;
  readonly secret: string;
  readonly unusedUrl: string;
}

/** Resolves to all results, without values that differ between runs. */
export async function calls({ url, guardedUrl, secret, unusedUrl }: Addresses): Promise<Record<string, unknown>> {
  await using agent = await connect(url);
  await using rest = await connect(url, { binding: 'HTTP+JSON' });
  const sent = await agent.send('story');
  const asked = await agent.send('ask');
  const answered = await agent.task(asked.handle ?? '').answer('Rome');
  const waiting = await agent.send('hold on', { wait: 'none' });
  return {
    chosen: [agent.chosen, rest.chosen].map(({ binding, version }) => [binding, version]),
    asked: await agent.ask('Good morning, Ünïcödé 🌍'),
    blocked: await rest.send('hello', { wait: 'block' }).then(({ text }) => text),
    polled: await rest.send('hello', { wait: 'poll' }).then(({ text }) => text),
    message: await agent.send('reply Hi!').then(({ kind, text }) => [kind, text]),
    sent: [sent.state, sent.text],
    got: (await agent.get(sent.task?.id ?? '')).status.state,
    question: [asked.state, asked.text],
    answered: [answered.state, answered.text],
    canceled: (await agent.cancel(waiting.task?.id ?? '')).status.state,
    streamed: await streamed(url),
    signed: await ask(guardedUrl, { auth: { secret, subject: 'ada@example.com', orgDomain: 'example.com' } }),
    unsigned: await ask(guardedUrl),
    unreachable: await ask(unusedUrl, { retries: 0 }),
    tooLarge: await ask(url, { limits: { maxEventBytes: 100 } }),
    timeout: await agent.send('hold on', { timeoutMs: 50 }).catch(codeOf),
  };
}

async function streamed(url: string): Promise<unknown> {
  await using agent = await connect(url);
  const events: unknown[] = [];
  for await (const { type, text } of agent.stream('story')) events.push([type, text]);
  // Leaving the loop ends the stream.
  for await (const { type } of agent.stream('hold on')) if (type === 'status') break;
  return events;
}

/** The reply of the agent, or the code of the error. */
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
