import type { AgentClient } from '../../client/client.ts';
import type { MessageDraft } from '../../client/message-input.ts';
import { answering, listsQuestions, questionsOf, type TaskQuestion } from '../../client/task-question.ts';
import type { SendOptions } from '../../client/options.ts';
import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { defined } from '../../support/defined.ts';
import { CALL_OPTIONS } from '../agents/call-options.ts';
import { takeAgent } from '../agents/agent-reference.ts';
import { askQuestion, chooseQuestion, type ReadLine } from '../agents/ask-question.ts';
import { CliError } from '../cli-error.ts';
import { EXIT_STATUS_OPTION, exitStatusOf } from '../agents/exit-status.ts';
import { cancelOnInterrupt, conclude, follow, type Showing, type Turn } from '../agents/follow.ts';
import { exitCodeOf } from '../interrupt.ts';
import { invocation } from '../invocation.ts';
import { isInteractive, LinePrompt } from '../output/line-prompt.ts';
import { PART_OPTIONS, readParts } from '../agents/message-parts.ts';
import { withAgent } from '../agents/open-agent.ts';
import { defineCommand } from '../option.ts';
import { pollUntilSettled } from '../agents/poll-task.ts';
import { readCount, readDuration, readJson, wantsJson } from '../read-values.ts';
import { screen } from '../output/screen.ts';
import { noteTask } from '../output/task-view.ts';

const SYNOPSIS = 'send [agent] <text>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Sends a message to an agent of any protocol version. Output is printed on stdout as it arrives, progress on stderr.
Ctrl-C cancels the task; a second Ctrl-C quits and leaves the task running.
On a terminal, send prompts for the answer to a question, and for which one if several are open. An empty line or Ctrl-D leaves the task waiting; in a form, only
Ctrl-D does. Without a terminal, or with -o json, send prints the question and the command that answers it.`,
  examples: [
    'tandem send http://localhost:4100 hello',
    'tandem send -a clerk --text "What is in it?" --file scan.pdf',
    'handle=$(tandem send clerk "the long job" --detach); tandem wait $handle',
  ],
  options: {
    'task-id': { value: '<id>', help: 'Answer the question of a task, or send a message to a running one' },
    question: { value: '<id>', help: 'With --task-id: the question to answer, if the task asks several' },
    'context-id': { value: '<id>', help: 'Continue this conversation, in a new task' },
    ...PART_OPTIONS,
    async: { help: 'Do not wait; print a handle for tandem wait (also --detach)' },
    stream: { help: 'With -o json: one line for each event', flagOnly: true },
    metadata: { value: '<json>', help: 'Metadata of the request, a JSON object' },
    accept: { multiple: true, value: '<type>', help: 'An accepted media type of the output' },
    history: { value: '<n>', help: 'The number of history messages to return' },
    'poll-interval': { value: '<time>', help: 'Poll the task at this interval instead of streaming' },
    ...EXIT_STATUS_OPTION,
    ...CALL_OPTIONS,
  },
  aliases: { detach: 'async', 'no-wait': 'async', 'return-immediately': 'async' },
  async run({ values, sources, positionals, tokens }) {
    const isJson = wantsJson(values);
    const { reference, rest } = takeAgent({ values, sources }, positionals, SYNOPSIS);
    const parts = readParts(tokens, rest);
    const message = values.question === undefined ? { parts } : answering({ parts }, values.question);
    if (parts.length === 0) throw new CliError('usage', `The message is empty. Usage: tandem ${SYNOPSIS}`);
    const options: SendOptions = defined({
      taskId: values['task-id'] ?? reference.taskId,
      contextId: values['context-id'],
      metadata: values.metadata === undefined ? undefined : readMetadata(values.metadata),
      acceptedOutputModes: values.accept.length === 0 ? undefined : values.accept,
      historyLength: readCount('history', values.history),
    });
    const pollMs = readDuration('poll-interval', values['poll-interval']);
    const showing = { isJson, isStream: values.stream, agent: reference.again };

    await withAgent(values, reference, async (agent, within) => {
      screen.showProgress(`Waiting for ${agent.card.name || reference.name}`);
      const all = { ...options, ...within };
      if (values.async) return sendOnly(agent, message, all, showing);
      const send = pollMs === undefined ? sendAndStream : sendAndPoll(pollMs);
      const first = await send(agent, message, all, showing);
      const turn =
        isJson || !isInteractive()
          ? first
          : await converse(first, (answer, taskId) => send(agent, answer, { ...all, taskId }, showing));
      conclude(turn, showing);
      // Ctrl-C has set an exit code of its own.
      if (values['exit-status']) process.exitCode ??= exitStatusOf(turn.task?.status.state);
    });
  },
});

/**
 * Prompts for the answer to each question of a task and sends it, until the task settles without a question or the user
 * leaves it waiting. A credential is not prompted for: it is usually granted elsewhere, and the task then resumes.
 */
async function converse(turn: Turn, send: (answer: MessageDraft, taskId: string) => Promise<Turn>): Promise<Turn> {
  let current = turn;
  while (current.task !== undefined) {
    const { task } = current;
    const questions = questionsOf(task).filter(({ kind }) => kind !== 'auth-required');
    const answer = questions.length === 0 ? undefined : await promptForAnswer(questions, listsQuestions(task));
    if (answer === undefined) break;
    try {
      current = await send(answer, task.id);
    } catch (error) {
      if (!A2AError.is(error) || error.code !== 'INVALID_PARAMS') throw error;
      screen.hideProgress();
      screen.notice(error.message, 'yellow');
    }
  }
  return current;
}

/** Ctrl-C leaves the task waiting, because the agent does not work on it. */
async function promptForAnswer(
  questions: readonly TaskQuestion[],
  isNamed: boolean,
): Promise<MessageDraft | undefined> {
  const prompt = new LinePrompt(() => {
    process.exitCode = exitCodeOf('SIGINT');
    prompt.close();
  });
  const read: ReadLine = (text, options) => prompt.read(text, options);
  try {
    const question = await chooseQuestion(questions, read);
    const parts = question && (await askQuestion(question, read));
    if (parts === undefined) return undefined;
    return isNamed && question?.id !== undefined ? answering({ parts }, question.id) : { parts };
  } finally {
    prompt.close();
  }
}

/** Sends a message and shows the events of its task until the task settles. */
type Send = (agent: AgentClient, message: MessageDraft, options: SendOptions, showing: Showing) => Promise<Turn>;

const sendAndStream: Send = async (agent, message, options, showing) => {
  const stream = agent.stream(message, options);
  const stopListening = cancelOnInterrupt(agent, stream);
  try {
    return await follow(stream, showing);
  } finally {
    stopListening();
  }
};

function sendAndPoll(pollMs: number): Send {
  return async (agent, message, options, showing) => {
    const reply = await agent.send(message, { ...options, wait: 'none' });
    if (reply.task === undefined) return reply;
    const task = await pollUntilSettled(agent.task(reply.task.id), pollMs, showing, options);
    return { task, message: undefined };
  };
}

/** Prints only the handle on stdout, because `tandem wait` needs nothing else. */
async function sendOnly(
  agent: AgentClient,
  message: MessageDraft,
  options: SendOptions,
  showing: Showing,
): Promise<void> {
  const { task, handle, message: reply } = await agent.send(message, { ...options, wait: 'none' });
  screen.hideProgress();
  if (showing.isJson || task === undefined) return conclude({ task, message: reply }, showing);
  screen.writeLine(handle);
  noteTask(task);
  screen.notice('The task continues. To wait for it:', 'dim');
  screen.notice(`${invocation()} wait ${handle}`);
}

function readMetadata(text: string): JsonObject {
  const json = readJson('--metadata', text);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as JsonObject;
  throw new CliError('usage', `--metadata must be a JSON object: '{"key":"value"}'`);
}
