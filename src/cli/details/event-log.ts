import type { AgentEvent } from '../../client/event.ts';
import type { RemoteTask } from '../../client/remote-task.ts';
import { CliError } from '../cli-error.ts';
import type { RemainingTime } from '../agents/open-agent.ts';
import { oneLine, screen } from '../output/screen.ts';

/** Stored events arrive without a pause. After a pause of this length, all of them have been read. */
const QUIET_MS = 500;

/**
 * Prints the numbered events that the agent keeps of a task: those so far, or with `toTheEnd` all until the task has ended.
 *
 * @throws CliError if the agent does not number its events.
 */
export async function showEvents(
  task: RemoteTask,
  { isJson, toTheEnd }: { readonly isJson: boolean; readonly toTheEnd: boolean },
  within: RemainingTime,
): Promise<void> {
  const stream = task.subscribe({ ...within, after: 0 });
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const event of stream) {
      screen.hideProgress();
      if (event.number === undefined)
        throw new CliError(
          'failure',
          'The agent does not number its events, so they cannot be listed. Show the task without --events.',
        );
      if (isJson) screen.writeJsonLine({ number: event.number, event: event.response });
      else screen.writeMarked(lineOf(event));
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
