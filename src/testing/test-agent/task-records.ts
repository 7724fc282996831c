import { type AgentEvent, toAgentEvent } from '../../client/event.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Appended, Created, NewEvent, NewTask, TaskWrite } from '../../store/store.ts';
import type { StoreCall } from './process-store.ts';

/** A step whose result is recorded: the handler of this task does not run it again. */
export interface RecordedStep {
  /** The name of the step. For a step inside another one, with the names of the outer steps: `order/pay`. */
  readonly name: string;
  /** Distinguishes steps of the same name: 1 for the first one. Restarts when another message, not an answer to `ask`, starts the handler again. */
  readonly number: number;
  /** The result as JSON. Undefined if the step failed or returned nothing. */
  readonly result: JsonValue | undefined;
  /** The error of a step that failed. */
  readonly error:
    | {
        /** The name of the error class. */
        readonly name: string;
        /** The message of the error. */
        readonly message: string;
      }
    | undefined;
}

/** The records of one task. */
export interface TaskRecords {
  readonly taskId: string;
  readonly steps: RecordedStep[];
  readonly events: AgentEvent[];
}

/** Collects the steps and events of tasks from the writes to their store. */
export class RecordCollector {
  readonly #tasks = new Map<string, TaskRecords>();
  #last: TaskRecords | undefined;

  /** The records of the task that was created or continued last. */
  get last(): TaskRecords | undefined {
    return this.#last;
  }

  /** Makes a task the last one. */
  select(taskId: string): void {
    this.#last = this.#tasks.get(taskId) ?? this.#last;
  }

  readonly note = ({ method, args, result }: StoreCall): void => {
    if (method === 'create') this.#created(args[0] as NewTask, result as Created);
    else if (method === 'append') this.#appended(args[0] as TaskWrite, result as Appended);
    else if (method === 'dropForReply' && result === true) this.#replied(args[0] as string, args[2] as Message);
  };

  #created({ id, event }: NewTask, { kind }: Created): void {
    if (kind !== 'created') return;
    const records = this.#of(id);
    this.#last = records;
    if (event !== undefined) this.#addEvents(records, 1, [event]);
  }

  #appended({ taskId, journal = [], events = [] }: TaskWrite, appended: Appended): void {
    if (appended.kind !== 'appended') return;
    const records = this.#of(taskId);
    this.#addEvents(records, appended.firstEvent, events);
    for (const { kind, key, body } of journal) if (kind === 'step') records.steps.push(stepOf(key, body));
  }

  #replied(taskId: string, message: Message): void {
    this.#tasks.get(taskId)?.events.push(toAgentEvent({ event: { message }, number: undefined, raw: message }));
  }

  #addEvents({ events }: TaskRecords, first: number, added: readonly NewEvent[]): void {
    for (const [i, { body }] of added.entries()) {
      const event = JSON.parse(body) as StreamResponse;
      events.push(toAgentEvent({ event, number: first + i, raw: event }));
    }
  }

  #of(taskId: string): TaskRecords {
    let records = this.#tasks.get(taskId);
    if (records === undefined) {
      records = { taskId, steps: [], events: [] };
      this.#tasks.set(taskId, records);
    }
    return records;
  }
}

/** @param key The names of the outer steps and of the step, each with its number: `order#1/pay#2`. */
function stepOf(key: string, body: JsonValue): RecordedStep {
  const { value, error } = body as { readonly value?: JsonValue; readonly error?: { name: string; message: string } };
  const [, path = key, number = '1'] = /^(.*)#(\d+)$/s.exec(key) ?? [];
  return {
    name: path.replaceAll(/#\d+(?=\/)/g, ''),
    number: Number(number),
    result: value,
    error: error && { name: error.name, message: error.message },
  };
}
