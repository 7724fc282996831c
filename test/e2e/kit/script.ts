import type { Handler, TaskContext } from '../../../src/engine/handler.ts';
import type { Output } from '../../../src/engine/output/output.ts';
import { type Agent, agent } from '../../../src/agent/agent.ts';
import type { AgentOptions } from '../../../src/agent/agent-options.ts';

export type ScriptOptions = Partial<Omit<AgentOptions, 'run'>>;

export interface Scripted {
  readonly agent: Agent;
  /** Releases one held task, or the next one that is held. */
  release(): void;
  /** The number of runs so far. */
  runs(): number;
}

/** An agent whose behaviour depends on the first word of the message. Any other text is returned as an artifact. */
export function scripted(options: ScriptOptions = {}): Scripted {
  const gate = new Gate();
  let runs = 0;
  const run: Handler = (ctx) => {
    runs += 1;
    const [word = '', ...rest] = ctx.text.split(' ');
    const script = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
    return (script ?? echo)(ctx, script === undefined ? ctx.text : rest.join(' '), gate);
  };
  const made = agent({
    name: 'Script',
    description: 'Follows the first word of a message.',
    id: 'script',
    ...options,
    run,
  });
  return { agent: made, release: () => gate.open(), runs: () => runs };
}

type Script = (ctx: TaskContext, text: string, gate: Gate) => ReturnType<Handler>;

async function* echo(_ctx: TaskContext, text: string): AsyncGenerator<Output, void> {
  yield { artifact: 'echo', text };
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  /** Replies without a task. */
  reply: (ctx, text) => ctx.reply(text),
  reject: (ctx, text) => ctx.reject(text),
  fail() {
    throw new Error('the password is in /etc/shadow');
  },
  /** Reports `working`, and then waits until the test releases it. */
  async *hold(ctx, text, gate) {
    yield { status: 'working', text: 'Holding' };
    await gate.pass(ctx.signal);
    yield { artifact: 'held', text };
  },
  async *ask(ctx) {
    const city = await ctx.ask('Which city?');
    yield { artifact: 'trip', text: `Off to ${city}` };
  },
  async *authorize(ctx) {
    await ctx.authorize('Please log in');
    yield { artifact: 'letter', text: 'Welcome' };
  },
  /** Two artifacts with interleaved chunks, between two status updates. */
  async *story(_ctx) {
    yield { status: 'working', text: 'One' };
    yield { artifact: 'poem', text: 'Roses ' };
    yield { artifact: 'notes', text: 'Mind the thorns' };
    yield { artifact: 'poem', text: 'are red', append: true, lastChunk: true };
    yield { status: 'working', text: 'Two' };
  },
  /** An artifact, and a new version of it. */
  async *refine() {
    yield { artifact: 'draft', text: 'Rough' };
    yield { artifact: 'draft', text: 'Fine' };
  },
  async *picture() {
    yield { artifact: 'picture', bytes: new Uint8Array([137, 80, 78, 71]), mediaType: 'image/png' };
  },
  /** Returns the members of the context that the handler gets. */
  async *about(ctx) {
    const { caller, tenant, contextId, extensions, metadata, acceptedOutputModes } = ctx;
    const earlier = (await ctx.history()).map(({ id }) => id);
    yield {
      artifact: 'about',
      data: {
        caller: caller.id,
        tenant,
        contextId,
        extensions: [...extensions],
        metadata,
        acceptedOutputModes: [...acceptedOutputModes],
        earlier,
      },
    };
  },
  /** An artifact with data of an extension in its metadata. */
  async *stamp(ctx) {
    const [uri = ''] = ctx.extensions;
    yield { artifact: 'stamped', text: 'Done', metadata: { [uri]: { stamp: 7 } }, extensions: [uri] };
  },
};

/** Lets one waiting run pass for each call of `open`, before or after the run arrives. */
class Gate {
  #open = 0;
  readonly #waiting = new Set<() => void>();

  open(): void {
    const [first] = this.#waiting;
    if (first === undefined) this.#open += 1;
    else {
      this.#waiting.delete(first);
      first();
    }
  }

  pass(signal: AbortSignal): Promise<void> {
    if (this.#open > 0) {
      this.#open -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      const leave = (): void => {
        this.#waiting.delete(resolve);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
