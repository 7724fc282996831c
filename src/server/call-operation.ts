import type { JsonObject } from '../model/json.ts';
import {
  isStreaming,
  type OperationName,
  type SendMessageRequest,
  type SubscribeToTaskRequest,
} from '../model/operation.ts';
import { decodeParams, operationCodec } from '../wire/dialect.ts';
import type { HttpCall } from './http-call.ts';
import { assertModest } from './limits/content.ts';
import { streaming, unary } from './operations.ts';
import type { TaskEvents } from './send-operations.ts';
import type { Service } from './service.ts';

/** What an operation came to: its result in the words of the caller, or the events of which each will be. */
export type Outcome =
  | {
      readonly json: unknown;
      /** There is nothing to tell but that it was done. */
      readonly isNothing: boolean;
      /** In the place of those that answers have. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly events: TaskEvents;
      /** To be called when the stream is over, however it ends. */ readonly onEnd: () => void;
    };

export interface CallOptions {
  /** Gives what happens to a task where the task is asked for. */
  readonly asStream?: boolean;
}

/**
 * What all bindings do between their request and their response: reads the params in the dialect of the call, does what
 * is asked, and writes the result in the same dialect.
 *
 * @throws A2AError for what the caller got wrong; anything else for what went wrong here.
 */
export function callOperation(
  service: Service,
  call: HttpCall,
  operation: OperationName,
  params: unknown,
  options: CallOptions = {},
): Promise<Outcome> {
  const { watch } = service;
  if (watch === undefined) return perform(service, call, operation, params, options);
  return watch.see(call, operation, params, () => perform(service, call, operation, params, options));
}

async function perform(
  service: Service,
  call: HttpCall,
  operation: OperationName,
  params: unknown,
  { asStream = false }: CallOptions,
): Promise<Outcome> {
  const { dialect } = call;
  const input = decodeParams(dialect, operation, params, service.limits.reading).value;
  if (operation === 'SendMessage' || operation === 'SendStreamingMessage') {
    assertModest(service.limits.settings, input as SendMessageRequest);
  }
  if (isStreaming(operation) || asStream) {
    const isSend = operation === 'SendStreamingMessage';
    const run = streaming[isSend ? operation : 'SubscribeToTask'];
    const { caller, remoteAddress, isLocal } = call;
    const task = isSend ? undefined : taskKey(call, input as SubscribeToTaskRequest);
    const onEnd = service.limits.streams.open({ caller, remoteAddress, isLocal, task });
    try {
      return { events: await run(service, call, input as never), onEnd };
    } catch (error) {
      onEnd();
      throw error;
    }
  }
  const run = unary[operation] as (service: Service, call: HttpCall, input: unknown) => Promise<unknown>;
  const output = await run(service, call, input);
  const json = operationCodec(dialect, operation).result.encode(output as never);
  if (operation === 'GetExtendedAgentCard') return extendedCard(service, json as JsonObject);
  return { json, isNothing: output === null };
}

function taskKey({ caller }: HttpCall, { id, tenant = '' }: SubscribeToTaskRequest): string {
  return JSON.stringify([caller.id, tenant, id]);
}

async function extendedCard({ extendedCards }: Service, json: JsonObject): Promise<Outcome> {
  if (extendedCards === undefined) return { json, isNothing: false };
  return { json: await extendedCards.signed(json), isNothing: false, headers: extendedCards.headers };
}
