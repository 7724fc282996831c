import { createInterface, type Interface } from 'node:readline';
import type { AgentClient } from '../../client/client.ts';
import type { TaskStream } from '../../client/task-stream.ts';
import { isPaused } from '../../model/state.ts';
import { AGENT_OPTIONS } from '../agent-options.ts';
import { type AgentReference, takeAgent } from '../agent-reference.ts';
import { CliError } from '../cli-error.ts';
import { explained } from '../error-report.ts';
import { cancel, conclude, follow, type Showing } from '../follow.ts';
import { onStopSignal } from '../interrupt.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice } from '../read-values.ts';
import { oneLine, screen } from '../screen.ts';
import { expectNoMore } from '../task-arguments.ts';
import { tellTask } from '../task-view.ts';

const SYNOPSIS = 'chat [agent]';

const HELP = `/new     begin another conversation
/task    show the ids of the last task
/cancel  cancel the task that waits for an answer
/quit    leave; so does Ctrl-D`;

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Talks to an agent, line by line, in one conversation. What it asks is answered by the next line. Ctrl-C cancels what it
does; Ctrl-D leaves. Lines may also come from a pipe. /help lists what else can be said.`,
  examples: ['tandem chat http://localhost:4100', "printf 'book\\nRome\\nyes\\n' | tandem chat http://localhost:4100"],
  options: {
    'context-id': { type: 'string', value: '<id>', help: 'Go on with this conversation' },
    stream: { type: 'boolean', help: 'With -o json: one line for each event', flagOnly: true },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, rest } = takeAgent({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    const showing = { isJson, isStream: values.stream, agent: reference.again };
    const hasCredentials = values.bearer !== undefined || values['api-key'] !== undefined;
    await withAgent(values, reference, (agent) =>
      new Chat(agent, reference, showing, hasCredentials, values['context-id']).run(),
    );
  },
});

/** One conversation after another with one agent. */
class Chat {
  readonly #agent: AgentClient;
  readonly #reference: AgentReference;
  readonly #showing: Showing;
  readonly #hasCredentials: boolean;
  readonly #isPerson = process.stdin.isTTY && process.stderr.isTTY;
  #contextId: string | undefined;
  #last: TaskStream['task'];
  #stream: TaskStream | undefined;
  #turn = new AbortController();
  #isCanceling = false;

  constructor(
    agent: AgentClient,
    reference: AgentReference,
    showing: Showing,
    hasCredentials: boolean,
    contextId: string | undefined,
  ) {
    this.#agent = agent;
    this.#reference = reference;
    this.#showing = showing;
    this.#hasCredentials = hasCredentials;
    this.#contextId = contextId;
  }

  async run(): Promise<void> {
    screen.rest();
    const options = this.#isPerson ? { output: process.stderr, terminal: true } : { terminal: false };
    const lines = createInterface({ input: process.stdin, ...options });
    const next = lines[Symbol.asyncIterator]();
    lines.on('SIGINT', () => this.#interrupt(lines));
    const stopListening = this.#isPerson ? () => {} : onStopSignal(['SIGINT'], () => this.#interrupt(lines));
    if (this.#isPerson)
      screen.tell(`You talk to ${oneLine(this.#agent.card.name)}. /help says more, Ctrl-D leaves.`, 'dim');
    try {
      for (;;) {
        this.#prompt(lines);
        const line = await next.next();
        if (line.done === true && this.#isPerson) screen.tell('');
        if (line.done === true || !(await this.#hear(line.value.trim()))) break;
      }
    } finally {
      stopListening();
      lines.close();
    }
    if (this.#contextId !== undefined && !this.#showing.isJson)
      screen.tell(`Context: ${oneLine(this.#contextId)}`, 'dim');
  }

  get #question(): TaskStream['task'] {
    return this.#last !== undefined && isPaused(this.#last.status.state) ? this.#last : undefined;
  }

  #prompt(lines: Interface): void {
    if (!this.#isPerson) return;
    lines.setPrompt(this.#question === undefined ? '> ' : 'answer> ');
    lines.prompt();
  }

  /** Does what a line says. False if that is to leave. */
  async #hear(line: string): Promise<boolean> {
    if (line === '/quit' || line === '/exit') return false;
    if (line === '/help') screen.tell(HELP);
    else if (line === '/new') this.#forget();
    else if (line === '/task') this.#tellLast();
    else if (line === '/cancel') await this.#safely(() => this.#cancelQuestion());
    else if (/^\/\w+$/.test(line)) screen.tell(`There is no ${line}. /help lists what there is.`, 'yellow');
    else if (line !== '') await this.#safely(() => this.#say(line));
    return true;
  }

  async #say(text: string): Promise<void> {
    const taskId = this.#question?.id;
    const contextId = this.#contextId;
    this.#isCanceling = false;
    this.#turn = new AbortController();
    this.#stream = this.#agent.stream(text, {
      ...(taskId !== undefined && { taskId }),
      ...(contextId !== undefined && { contextId }),
    });
    screen.work(`${this.#agent.card.name || this.#reference.name} is at it`);
    try {
      const turn = await follow(this.#stream, this.#showing);
      this.#last = turn.task;
      this.#contextId = turn.task?.contextId ?? turn.message?.contextId ?? contextId;
      if (this.#showing.isJson) conclude(turn, this.#showing);
    } finally {
      this.#stream = undefined;
      this.#turn.abort();
      screen.rest();
    }
  }

  /** A person can say something else after an error; a script has failed. */
  async #safely(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      const told = explained(error, { agent: this.#reference.again, hasCredentials: this.#hasCredentials });
      if (!this.#isPerson || !(told instanceof CliError)) throw told;
      screen.tell(told.message, 'red');
      if (told.hint !== undefined) screen.tell(told.hint, 'dim');
    }
  }

  #interrupt(lines: Interface): void {
    if (this.#stream === undefined || this.#isCanceling) {
      lines.close();
      if (this.#stream !== undefined) process.exit(130);
      return;
    }
    this.#isCanceling = true;
    void cancel(this.#agent, this.#stream, this.#turn.signal);
  }

  #forget(): void {
    this.#contextId = undefined;
    this.#last = undefined;
    screen.tell('What comes next is another conversation.', 'dim');
  }

  #tellLast(): void {
    if (this.#last === undefined) screen.tell('There is no task yet.', 'dim');
    else tellTask(this.#last);
  }

  async #cancelQuestion(): Promise<void> {
    const question = this.#question;
    if (question === undefined) return screen.tell('No task waits for an answer.', 'dim');
    this.#last = await this.#agent.cancel(question.id);
    screen.tell('Canceled.', 'dim');
  }
}
