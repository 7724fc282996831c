import type { JsonObject } from '../model/json.ts';
import { isStreaming, type OperationName } from '../model/operation.ts';
import { decodeParams, operationCodec } from '../wire/dialect.ts';
import type { Call } from './call.ts';
import { EXTENDED_CARD_HEADERS } from './extended-card.ts';
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
  | { readonly events: TaskEvents };

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
export async function callOperation(
  service: Service,
  call: Call,
  operation: OperationName,
  params: unknown,
  { asStream = false }: CallOptions = {},
): Promise<Outcome> {
  const { dialect } = call;
  const input = decodeParams(dialect, operation, params).value;
  if (isStreaming(operation) || asStream) {
    const run = streaming[operation === 'SendStreamingMessage' ? operation : 'SubscribeToTask'];
    return { events: await run(service, call, input as never) };
  }
  const run = unary[operation] as (service: Service, call: Call, input: unknown) => Promise<unknown>;
  const output = await run(service, call, input);
  const json = operationCodec(dialect, operation).result.encode(output as never);
  if (operation === 'GetExtendedAgentCard') return extendedCard(service, json as JsonObject);
  return { json, isNothing: output === null };
}

async function extendedCard({ extendedCards }: Service, json: JsonObject): Promise<Outcome> {
  return { json: await extendedCards?.signed(json), isNothing: false, headers: EXTENDED_CARD_HEADERS };
}
