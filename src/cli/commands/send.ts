import { A2AError } from '../../errors.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { Part } from '../../model/part.ts';
import { textOfParts } from '../../model/part-text.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import { send } from '../agent-client.ts';
import { CliError } from '../cli-error.ts';
import { invocation, shellWord } from '../invocation.ts';
import { readAddress, readArguments } from '../read-arguments.ts';

export const usage = `Usage: tandem send <url> <text> [options]

Sends a message to an agent of any version. What it gives is printed on stdout as it comes, how it goes on stderr.

Options:
  --task <id>           Answer the question of a task, or add to one that runs
  --timeout <seconds>   Wait no longer than this
`;

const OPTIONS = { task: { type: 'string' }, timeout: { type: 'string' } } as const;

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const [url, ...words] = positionals;
  if (url === undefined || words.length === 0) throw new CliError('usage', 'Give both: tandem send <url> <text>');
  readAddress('<url>', url);
  const seconds = Number(values.timeout ?? 0);
  if (!(seconds >= 0 && seconds < 2e6)) throw new CliError('usage', '--timeout must be a number of seconds');
  const message = {
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER' as const,
    parts: [{ text: words.join(' ') }],
    ...(values.task !== undefined && { taskId: values.task }),
  };
  const output = new Output(url);
  try {
    for await (const event of send(url, message, seconds > 0 ? AbortSignal.timeout(seconds * 1000) : null)) {
      if ('message' in event) output.give('', event.message.parts);
      else if ('task' in event) output.task(event.task.id, event.task.status, event.task.artifacts);
      else if ('statusUpdate' in event) output.task(event.statusUpdate.taskId, event.statusUpdate.status);
      else output.give(event.artifactUpdate.artifact.artifactId, event.artifactUpdate.artifact.parts);
      if (output.taskId === undefined) return;
    }
    throw new CliError('unreachable', `The answer ended before the task did${output.rest}`);
  } catch (error) {
    throw explained(error, url, output.rest);
  } finally {
    output.endLine();
  }
}

/** Puts what an agent says where it belongs. It is a stranger's text: no control character reaches a terminal. */
class Output {
  /** The task that is not over. */
  taskId: string | undefined;
  readonly #url: string;
  #artifact: string | undefined;
  #isMidLine = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** What to add to the news that nothing more will come. */
  get rest(): string {
    return this.taskId === undefined ? '' : `; task ${harmless(this.taskId)} may go on without us`;
  }

  /** Pieces of one artifact make one text. */
  give(artifact: string, parts: readonly Part[]): void {
    if (artifact !== this.#artifact) this.endLine();
    this.#artifact = artifact;
    for (const part of parts) {
      if ('raw' in part)
        this.#tell(`(a file that is not shown: ${part.filename ?? part.mediaType ?? 'without a name'})`);
      const text = 'url' in part ? `${part.url}\n` : textOfParts([part]);
      process.stdout.write(process.stdout.isTTY ? harmless(text) : text);
      if (text !== '') this.#isMidLine = !text.endsWith('\n');
    }
  }

  task(id: string, { state, message }: TaskStatus, artifacts: readonly Artifact[] = []): void {
    this.taskId = isTerminal(state) || isPaused(state) ? undefined : id;
    for (const { artifactId, parts } of artifacts) this.give(artifactId, parts);
    const parts = message?.parts ?? [];
    const text = textOfParts(parts.filter((part) => 'text' in part));
    if (isPaused(state)) {
      this.give('question', [{ text: `${text}\n` }]);
      const answer = JSON.stringify(parts).includes('"kind":"confirm"') ? 'yes' : `'your answer'`;
      const command = `${invocation()} send ${shellWord(this.#url)} ${answer} --task ${shellWord(id)}`;
      this.#tell(`Task ${id} waits for an answer:\n${command}`);
    } else if (state === 'TASK_STATE_COMPLETED' && this.#artifact === undefined) {
      // Some agents make no artifact and put their answer here.
      this.give('', parts);
    } else if (isTerminal(state) && state !== 'TASK_STATE_COMPLETED') {
      this.#tell(`Task ${id}: ${state.slice('TASK_STATE_'.length).toLowerCase()}. ${text}`);
    } else if (text !== '') this.#tell(text);
  }

  endLine(): void {
    if (this.#isMidLine) process.stdout.write('\n');
    this.#isMidLine = false;
  }

  #tell(text: string): void {
    if (process.stdout.isTTY) this.endLine();
    process.stderr.write(`${harmless(text)}\n`);
  }
}

function harmless(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, '');
}

function explained(error: unknown, url: string, more: string): unknown {
  if (A2AError.is(error)) {
    const isAuth = error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED';
    return new CliError(isAuth ? 'auth' : 'failure', `${harmless(error.message)} (${error.code})`, { cause: error });
  }
  if (!(error instanceof Error)) return error;
  if (error.name === 'TimeoutError') return new CliError('timeout', `No end within the time given${more}`);
  // What fetch says of a connection that it cannot make, or that broke.
  if (error.message === 'terminated') return new CliError('unreachable', `The connection to ${url} was lost${more}`);
  if (error.message !== 'fetch failed') return error;
  const why = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return new CliError('unreachable', `No connection to ${url}${why}`, { cause: error });
}
