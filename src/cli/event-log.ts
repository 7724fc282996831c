import type { AgentEvent } from '../client/event.ts';
import type { RemoteTask } from '../client/remote-task.ts';
import { CliError } from './cli-error.ts';
import { giveJsonLine } from './json-output.ts';
import type { TimeLeft } from './open-agent.ts';
import { oneLine, screen } from './screen.ts';

/** A log that is read to its end comes without a pause; after this one there is nothing more to be read yet. */
const QUIET_MS = 500;

/**
 * The events of a task with their numbers, as the agent keeps them: all there are, or all there will be.
 *
 * @throws CliError if the agent does not number its events.
 */
export async function showEvents(
  task: RemoteTask,
  { isJson, toTheEnd }: { readonly isJson: boolean; readonly toTheEnd: boolean },
  within: TimeLeft,
): Promise<void> {
  const stream = task.subscribe({ ...within, after: 0 });
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const event of stream) {
      screen.rest();
      if (event.number === undefined)
        throw new CliError('failure', 'The agent does not number its events: there is no log to show');
      if (isJson) giveJsonLine({ number: event.number, event: event.response });
      else screen.giveMarked(lineOf(event));
      clearTimeout(timer);
      if (!toTheEnd) timer = setTimeout(() => void stream.return(), QUIET_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

function lineOf(event: AgentEvent): string {
  const number = screen.mark(String(event.number).padStart(4), 'dim');
  return `${number}  ${screen.mark(event.type.padEnd(9), 'cyan')} ${oneLine(describe(event))}`;
}

function describe(event: AgentEvent): string {
  switch (event.type) {
    case 'task':
      return `${event.state} ${event.text}`;
    case 'status':
      return `${event.state} ${event.text}`;
    case 'artifact': {
      const { artifactId, name, parts } = event.artifact;
      const files = parts.flatMap((part) => ('raw' in part || 'url' in part ? (part.filename ?? 'a file') : []));
      const how = event.append ? '+' : '=';
      return `${name ?? artifactId} ${how} ${[JSON.stringify(event.text), ...files].join(' ')}${event.lastChunk ? ' (last)' : ''}`;
    }
    case 'message':
      return event.text;
  }
}
