import type { AgentReference, AgentArguments } from './agent-reference.ts';
import { takeAgent } from './agent-reference.ts';
import { CliError } from '../cli-error.ts';

/** Takes a task and its agent: a handle, or an agent and an id. The other words are for the command. */
export function takeTask(
  given: AgentArguments,
  words: readonly string[],
  synopsis: string,
): { readonly reference: AgentReference; readonly taskId: string; readonly rest: readonly string[] } {
  if (words.length === 0 && given.values['agent-card'] === undefined) throw noTask(synopsis);
  const { reference, rest } = takeAgent(given, words, synopsis);
  if (reference.taskId !== undefined) return { reference, taskId: reference.taskId, rest };
  const [taskId, ...others] = rest;
  if (taskId !== undefined) return { reference, taskId, rest: others };
  throw noTask(synopsis);
}

function noTask(synopsis: string): CliError {
  return new CliError('usage', `Pass a task: tandem ${synopsis}`, {
    hint: 'A task is a handle, or an agent and the id of one of its tasks.',
  });
}

/** @throws CliError if words are left over. */
export function expectNoMore(rest: readonly string[], synopsis: string): void {
  if (rest.length > 0)
    throw new CliError('usage', `Unexpected argument ${JSON.stringify(rest[0])}. Usage: tandem ${synopsis}`);
}
