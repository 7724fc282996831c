import type { AgentClient } from '../../client/client.ts';
import { CliError } from '../cli-error.ts';
import type { Arguments, Command, Options, Values } from '../option.ts';
import { expectNoMore, wantsJson } from '../read-values.ts';
import { type AgentReference, takeAgent } from './agent-reference.ts';
import { CALL_OPTIONS, type CallOptions } from './call-options.ts';
import { type RemainingTime, withAgent } from './open-agent.ts';

/** The agent that the user named, as a command knows it. */
export interface AgentArguments<T extends Options> {
  readonly values: Values<T & CallOptions>;
  readonly isJson: boolean;
  readonly reference: AgentReference;
  /** Connects to the agent, runs a function with it and closes it. */
  withAgent(run: (agent: AgentClient, within: RemainingTime) => Promise<void>): Promise<void>;
}

/** The same for a command about one task of the agent. */
export interface TaskArguments<T extends Options> extends AgentArguments<T> {
  readonly taskId: string;
}

interface Definition<T extends Options, A> extends Omit<Command<T>, 'run'> {
  run(given: A): Promise<void>;
}

/** A command with the options of a call, whose only argument is an agent. */
export function agentCommand<const T extends Options>(definition: Definition<T, AgentArguments<T>>): Command {
  return callCommand(definition, (given) => takeAgent(given, given.positionals, definition.synopsis));
}

/** A command with the options of a call, whose only argument is a task: a handle, or an agent and an id. */
export function taskCommand<const T extends Options>(definition: Definition<T, TaskArguments<T>>): Command {
  return callCommand(definition, (given) => takeTask(given, given.positionals, definition.synopsis));
}

function callCommand<T extends Options, A extends AgentArguments<T>>(
  { options, run, ...rest }: Definition<T, A>,
  take: (given: Arguments<CallOptions>) => { readonly reference: AgentReference; readonly rest: readonly string[] },
): Command {
  return {
    ...rest,
    options: { ...options, ...CALL_OPTIONS },
    async run(all) {
      const given = all as unknown as Arguments<CallOptions>;
      const isJson = wantsJson(given.values);
      const { rest: others, ...taken } = take(given);
      expectNoMore(others, rest.synopsis);
      const use: AgentArguments<T>['withAgent'] = (work) => withAgent(given.values, taken.reference, work);
      await run({ ...taken, values: given.values, isJson, withAgent: use } as unknown as A);
    },
  };
}

/** Takes a task and its agent: a handle, or an agent and an id. The other words are for the command. */
export function takeTask(
  given: Pick<Arguments<CallOptions>, 'values' | 'sources'>,
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
