import { stateWord } from '../../client/state-word.ts';
import type { CallTree, TreeCall } from '../../engine/tasks/call-tree.ts';
import { oneLine, screen } from '../output/screen.ts';
import { relativeTime } from './relative-time.ts';

/** Prints a task, and below it each call with the task of the called agent. */
export function printCallTree({ task, calls }: CallTree, nowMs: number): void {
  screen.writeLine(oneLine(`${task.agent}: ${stateWord(task.status.state)}, ${task.id}`));
  if (calls.length === 0) screen.notice('This task has made no calls.', 'dim');
  printCalls(calls, '', nowMs);
}

function printCalls(calls: readonly TreeCall[], indent: string, nowMs: number): void {
  for (const [index, call] of calls.entries()) {
    const isLast = index === calls.length - 1;
    const below = indent + (isLast ? '   ' : '│  ');
    screen.writeLine(
      `${indent}${isLast ? '└─ ' : '├─ '}${oneLine(`${call.peer}: ${callWords(call, nowMs).join(', ')}`)}`,
    );
    if (call.question !== undefined) screen.writeLine(`${below}asks: ${oneLine(call.question)}`);
    if (call.reason !== undefined) screen.writeLine(`${below}why: ${oneLine(call.reason)}`);
    printCalls(call.child?.calls ?? [], below, nowMs);
  }
}

function callWords({ state, at, taskId, child }: TreeCall, nowMs: number): readonly string[] {
  const age = at === undefined ? [] : [relativeTime(new Date(at).toISOString(), nowMs)];
  const isOpen = state === 'open' && child !== undefined;
  return [isOpen ? stateWord(child.task.status.state) : state, ...age, taskId ?? 'task unknown'];
}

/** A tree as JSON for scripts. */
export function callTreeJson({ task, calls }: CallTree): object {
  const { id, agent, status } = task;
  return {
    id,
    agent,
    state: status.state,
    calls: calls.map(({ at, child, ...call }) => ({
      ...call,
      ...(at !== undefined && { at: new Date(at).toISOString() }),
      ...(child !== undefined && { child: callTreeJson(child) }),
    })),
  };
}
