import type { AgentReference, AgentArguments } from './agent-reference.ts';
import { takeAgent } from './agent-reference.ts';
import { CliError } from './cli-error.ts';

/** Which task of which agent is meant: by a handle, or by an agent and an id. What is left is for the command. */
export function takeTask(
  given: AgentArguments,
  words: readonly string[],
  synopsis: string,
): { readonly reference: AgentReference; readonly taskId: string; readonly rest: readonly string[] } {
  const { reference, rest } = takeAgent(given, words, synopsis);
  if (reference.taskId !== undefined) return { reference, taskId: reference.taskId, rest };
  const [taskId, ...others] = rest;
  if (taskId !== undefined) return { reference, taskId, rest: others };
  throw new CliError('usage', `Name a task: tandem ${synopsis}`, {
    hint: 'A task is a handle, or an agent and the id of one of its tasks.',
  });
}

/** @throws CliError if there are words that mean nothing. */
export function expectNoMore(rest: readonly string[], synopsis: string): void {
  if (rest.length > 0)
    throw new CliError('usage', `${JSON.stringify(rest[0])} is one word too many: tandem ${synopsis}`);
}
