import type { AgentClient } from '../../client/client.ts';
import type { MessageDraft } from '../../client/message-input.ts';
import type { SendOptions } from '../../client/options.ts';
import type { JsonObject } from '../../model/json.ts';
import { defined } from '../../support/defined.ts';
import { AGENT_OPTIONS } from '../agent-options.ts';
import { takeAgent } from '../agent-reference.ts';
import { CliError } from '../cli-error.ts';
import { cancelOnInterrupt, conclude, follow, type Showing } from '../follow.ts';
import { invocation } from '../invocation.ts';
import { PART_OPTIONS, readParts } from '../message-parts.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { pollUntilSettled } from '../poll-task.ts';
import { readChoice, readCount, readDuration, readJson } from '../read-values.ts';
import { screen } from '../screen.ts';
import { tellTask } from '../task-view.ts';

const SYNOPSIS = 'send [agent] <text>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Sends a message to an agent of any version. What it gives is printed on stdout as it comes, how it goes on stderr.
Ctrl-C cancels the task, and pressed again leaves it alone.`,
  examples: [
    'tandem send http://localhost:4100 hello',
    'tandem send -a clerk --text "What is in it?" --file scan.pdf',
    'handle=$(tandem send clerk "the long job" --detach); tandem wait $handle',
  ],
  options: {
    'task-id': { type: 'string', value: '<id>', help: 'Answer the question of a task, or add to one that runs' },
    'context-id': { type: 'string', value: '<id>', help: 'Go on with this conversation, in a new task' },
    ...PART_OPTIONS,
    detach: { type: 'boolean', aliasOf: 'async', help: '' },
    async: { type: 'boolean', help: 'Do not wait; print a handle for tandem wait (also --detach)' },
    'no-wait': { type: 'boolean', aliasOf: 'async', help: '' },
    'return-immediately': { type: 'boolean', aliasOf: 'async', help: '' },
    stream: { type: 'boolean', help: 'With -o json: one line for each event', flagOnly: true },
    metadata: { type: 'string', value: '<json>', help: 'Metadata of the request, an object' },
    accept: { type: 'string', multiple: true, value: '<type>', help: 'A media type that you can use' },
    history: { type: 'string', value: '<n>', help: 'How many messages of the history to have' },
    'poll-interval': { type: 'string', value: '<time>', help: 'Ask every so often how it goes instead of streaming' },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals, tokens }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, rest } = takeAgent({ values, sources }, positionals, SYNOPSIS);
    const message = { parts: readParts(tokens, rest) };
    if (message.parts.length === 0) throw new CliError('usage', `Say something: tandem ${SYNOPSIS}`);
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
      screen.work(`Waiting for ${agent.card.name || reference.name}`);
      const all = { ...options, ...within };
      if (values.async) return sendOnly(agent, message, all, showing);
      if (pollMs !== undefined) return sendAndPoll(agent, message, all, showing, pollMs);
      const stream = agent.stream(message, all);
      const stopListening = cancelOnInterrupt(agent, stream);
      try {
        conclude(await follow(stream, showing), showing);
      } finally {
        stopListening();
      }
    });
  },
});

/** The handle is all that is needed to come back, so it is what there is on stdout. */
async function sendOnly(
  agent: AgentClient,
  message: MessageDraft,
  options: SendOptions,
  showing: Showing,
): Promise<void> {
  const { task, handle, message: answer } = await agent.send(message, { ...options, wait: 'none' });
  screen.rest();
  if (showing.isJson || task === undefined) return conclude({ task, message: answer }, showing);
  screen.giveLine(handle);
  tellTask(task);
  screen.tell('It goes on without us. To wait for it:', 'dim');
  screen.tell(`${invocation()} wait ${handle}`);
}

async function sendAndPoll(
  agent: AgentClient,
  message: MessageDraft,
  options: SendOptions,
  showing: Showing,
  pollMs: number,
): Promise<void> {
  const reply = await agent.send(message, { ...options, wait: 'none' });
  if (reply.task === undefined) return conclude(reply, showing);
  const task = await pollUntilSettled(agent.task(reply.task.id), pollMs, showing, options);
  conclude({ task, message: undefined }, showing);
}

function readMetadata(text: string): JsonObject {
  const json = readJson('--metadata', text);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as JsonObject;
  throw new CliError('usage', `--metadata must be an object: '{"key":"value"}'`);
}
