import type { AgentClient } from '../../client/client.ts';
import type { MessageDraft } from '../../client/message-input.ts';
import { answering, listsQuestions, questionOf } from '../../client/task-question.ts';
import type { TaskStream } from '../../client/task-stream.ts';
import { isPaused } from '../../model/state.ts';
import { agentCommand } from '../agents/agent-command.ts';
import { type AgentReference } from '../agents/agent-reference.ts';
import { answerParts, askQuestion, isForm } from '../agents/ask-question.ts';
import { CliError } from '../cli-error.ts';
import { explained } from '../agents/error-report.ts';
import { cancel, conclude, follow, type Showing } from '../agents/follow.ts';
import { onStopSignal } from '../interrupt.ts';
import { LinePrompt, type PromptOptions } from '../output/line-prompt.ts';
import { oneLine, screen } from '../output/screen.ts';
import { noteTask } from '../output/task-view.ts';

const HELP = `/new     start another conversation
/task    show the ids and the state of the last task
/cancel  cancel the task that waits for an answer
/quit    leave; Ctrl-D leaves as well`;

const COMMANDS: ReadonlySet<string> = new Set(['/new', '/task', '/cancel', '/quit', '/exit', '/help']);

export const command = agentCommand({
  synopsis: 'chat [agent]',
  about: `Starts a conversation with an agent. Each line is a message. If the agent asks a question, the next line is the answer;
on a terminal, a form is asked field by field. Ctrl-C cancels the running task; Ctrl-D leaves. Lines can also come from
a pipe, where one line of JSON is the answer to a form. /help lists the commands of the chat.`,
  examples: ['tandem chat http://localhost:4100', "printf 'book\\nRome\\nyes\\n' | tandem chat http://localhost:4100"],
  options: {
    'context-id': { value: '<id>', help: 'Continue this conversation' },
    stream: { help: 'With -o json: one line for each event', flagOnly: true },
  },
  async run({ values, isJson, reference, withAgent }) {
    const showing = { isJson, isStream: values.stream, agent: reference.again };
    const hasCredentials = values.bearer !== undefined || values['api-key'] !== undefined;
    await withAgent((agent) => new Chat(agent, reference, showing, hasCredentials, values['context-id']).run());
  },
});

/** The conversations of one chat with one agent. */
class Chat {
  readonly #agent: AgentClient;
  readonly #reference: AgentReference;
  readonly #showing: Showing;
  readonly #hasCredentials: boolean;
  readonly #prompt = new LinePrompt(() => this.#interrupt());
  #contextId: string | undefined;
  #last: TaskStream['task'];
  #stream: TaskStream | undefined;
  #turn = new AbortController();
  #isCanceling = false;
  /** A command that the user typed in place of an answer. */
  #command: string | undefined;

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
    screen.hideProgress();
    const { isInteractive } = this.#prompt;
    const stopListening = isInteractive ? () => {} : onStopSignal(['SIGINT'], () => this.#interrupt());
    if (isInteractive)
      screen.notice(`Chat with ${oneLine(this.#agent.card.name)}. /help lists the commands, Ctrl-D leaves.`, 'dim');
    try {
      while (await this.#takeTurn());
    } finally {
      stopListening();
      this.#prompt.close();
    }
    if (this.#contextId !== undefined && !this.#showing.isJson)
      screen.notice(`Context: ${oneLine(this.#contextId)}`, 'dim');
  }

  get #pausedTask(): TaskStream['task'] {
    return this.#last !== undefined && isPaused(this.#last.status.state) ? this.#last : undefined;
  }

  /** Reads one message, answer or command and processes it. Returns false if the chat is over. */
  async #takeTurn(): Promise<boolean> {
    const task = this.#pausedTask;
    const question = task === undefined ? undefined : questionOf(task);
    if (question !== undefined && isForm(question) && this.#prompt.isInteractive) {
      const parts = await askQuestion(question, (prompt, options) => this.#readField(prompt, options));
      if (parts !== undefined) return this.#safely(() => this.#send(this.#answering({ parts })));
      const command = this.#command;
      this.#command = undefined;
      return command !== undefined && this.#process(command);
    }
    const isSecret = question?.isSensitive ?? false;
    const line = await this.#prompt.read(question === undefined ? '> ' : 'answer> ', { isSecret });
    return line !== undefined && this.#process(line);
  }

  /** Returns `undefined` for a command as well, because it ends the form. */
  async #readField(prompt: string, options: PromptOptions): Promise<string | undefined> {
    const line = await this.#prompt.read(prompt, options);
    if (line === undefined || !COMMANDS.has(line)) return line;
    this.#command = line;
    return undefined;
  }

  /** Runs a command or sends a line. Returns false if the chat is over. */
  async #process(line: string): Promise<boolean> {
    if (line === '/quit' || line === '/exit') return false;
    if (line === '/help') screen.notice(HELP);
    else if (line === '/new') this.#forget();
    else if (line === '/task') this.#showLast();
    else if (line === '/cancel') await this.#safely(() => this.#cancelPausedTask());
    else if (/^\/\w+$/.test(line)) screen.notice(`Unknown command ${line}. /help lists the commands.`, 'yellow');
    else if (line !== '') await this.#safely(() => this.#send(this.#messageOf(line)));
    return true;
  }

  #messageOf(line: string): MessageDraft {
    const task = this.#pausedTask;
    const question = task && questionOf(task);
    if (question === undefined) return { text: line };
    return this.#answering({ parts: answerParts(question, { text: line }) });
  }

  /** Names the question that the user sees, if the agent lists several. */
  #answering(message: MessageDraft): MessageDraft {
    const task = this.#pausedTask;
    const id = task !== undefined && listsQuestions(task) ? questionOf(task)?.id : undefined;
    return id === undefined ? message : answering(message, id);
  }

  async #send(message: MessageDraft): Promise<void> {
    const taskId = this.#pausedTask?.id;
    const contextId = this.#contextId;
    this.#isCanceling = false;
    this.#turn = new AbortController();
    this.#stream = this.#agent.stream(message, {
      ...(taskId !== undefined && { taskId }),
      ...(contextId !== undefined && { contextId }),
    });
    screen.showProgress(`${this.#agent.card.name || this.#reference.name} is working`);
    try {
      const turn = await follow(this.#stream, this.#showing);
      this.#last = turn.task;
      this.#contextId = turn.task?.contextId ?? turn.message?.contextId ?? contextId;
      if (this.#showing.isJson) conclude(turn, this.#showing);
    } finally {
      this.#stream = undefined;
      this.#turn.abort();
      screen.hideProgress();
    }
  }

  /** On a terminal, shows an error and lets the chat continue. Input from a pipe ends with the error. */
  async #safely(run: () => Promise<void>): Promise<true> {
    try {
      await run();
    } catch (error) {
      const failure = explained(error, { agent: this.#reference.again, hasCredentials: this.#hasCredentials });
      if (!this.#prompt.isInteractive || !(failure instanceof CliError)) throw failure;
      screen.notice(failure.message, 'red');
      if (failure.hint !== undefined) screen.notice(failure.hint, 'dim');
    }
    return true;
  }

  #interrupt(): void {
    if (this.#stream === undefined || this.#isCanceling) {
      this.#prompt.close();
      if (this.#stream !== undefined) process.exit(130);
      return;
    }
    this.#isCanceling = true;
    void cancel(this.#agent, this.#stream, this.#turn.signal);
  }

  #forget(): void {
    this.#contextId = undefined;
    this.#last = undefined;
    screen.notice('The next message starts another conversation.', 'dim');
  }

  #showLast(): void {
    if (this.#last === undefined) screen.notice('No task yet.', 'dim');
    else noteTask(this.#last);
  }

  async #cancelPausedTask(): Promise<void> {
    const task = this.#pausedTask;
    if (task === undefined) return screen.notice('No task is waiting for an answer.', 'dim');
    this.#last = await this.#agent.cancel(task.id);
    screen.notice('Canceled.', 'dim');
  }
}
