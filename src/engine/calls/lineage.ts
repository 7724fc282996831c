import type { Lineage } from '../../model/lineage.ts';
import { digest } from '../../support/secret/digest.ts';

/** How many calls may lead to a task, if its agent does not set `maxDepth`. */
export const DEFAULT_MAX_DEPTH = 3;

/** The most agents that a path names. Longer paths lose their middle. */
const MAX_PATH = 16;

/** An agent that is called. */
export interface CalledAgent {
  /** Its name, as it appears in paths. */
  readonly name: string;
  /** Its mark: see `agentMark`. */
  readonly mark: string;
  /** How many calls may lead to a task of it. */
  readonly maxDepth: number;
}

/**
 * Returns a text by which an agent recognises itself in a lineage. It does not reveal the address.
 *
 * @param host Identifies the host to others: its public URL. Without one, an id of the process.
 */
export function agentMark(host: string, agentId: string): string {
  return digest(JSON.stringify([host, agentId]));
}

/** Why a call must not be made. */
export interface LineageProblem {
  /** `cycle` if the agent already works on a task of the chain, `maxDepth` if the chain is too long. */
  readonly cause: 'cycle' | 'maxDepth';
  /** For a person or a model to read. */
  readonly text: string;
}

/** The task that makes a call. */
export interface CallingTask {
  /** The id of the task. */
  readonly taskId: string;
  /** Where the task itself comes from, if it was called. */
  readonly lineage: Lineage | undefined;
  /** The name of its agent, as it appears in paths. */
  readonly name: string;
  /** The mark of its agent. */
  readonly mark: string;
  /** When the task is canceled, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
}

/** Returns the lineage of a call. The deadline is the earliest of those of the calling task, its lineage and the call. */
export function lineageOfCall(calling: CallingTask, deadline?: number): Lineage {
  const { taskId, lineage, name, mark } = calling;
  const earliest = Math.min(...[calling.deadline, lineage?.deadline, deadline].map((each) => each ?? Infinity));
  return {
    root: lineage?.root ?? taskId,
    parent: taskId,
    depth: depthOf(lineage) + 1,
    path: shortened([...(lineage?.path ?? []), name]),
    marks: shortened([...(lineage?.marks ?? []), mark]),
    ...(Number.isFinite(earliest) && { deadline: earliest }),
  };
}

/**
 * Returns why a call must not be made, or `undefined` if it may be made. The same rule holds for agents of one host and for messages from
 * other hosts.
 */
export function checkLineage(lineage: Lineage, { name, mark, maxDepth }: CalledAgent): LineageProblem | undefined {
  const chain = [...lineage.path, name].join(' › ');
  if (lineage.marks.at(-1) === mark)
    return { cause: 'cycle', text: `${name} cannot call itself. Continue without this call.` };
  if (lineage.marks.includes(mark)) {
    return {
      cause: 'cycle',
      text: `${name} cannot be called here, because it waits for the result of this call: ${chain}. Continue without this call.`,
    };
  }
  const depth = depthOf(lineage);
  if (depth <= maxDepth) return undefined;
  return {
    cause: 'maxDepth',
    text: `${name} cannot be called here, because ${depth} calls would lead to it and ${maxDepth} are allowed (maxDepth): ${chain}. Continue without this call.`,
  };
}

/** A sender may claim less than its path shows. */
function depthOf(lineage: Lineage | undefined): number {
  return lineage === undefined ? 0 : Math.max(lineage.depth, lineage.path.length);
}

function shortened(entries: readonly string[]): readonly string[] {
  if (entries.length <= MAX_PATH) return entries;
  return [...entries.slice(0, MAX_PATH / 2), ...entries.slice(-MAX_PATH / 2)];
}
