import type { StreamResponse } from '../../src/model/event.ts';
import type { JsonValue } from '../../src/model/json.ts';
import { isStreaming, type OperationName } from '../../src/model/operation.ts';
import type { Codec } from '../../src/wire/codec.ts';
import { decode, type Dialect, type OperationCodec, operationOf } from '../../src/wire/dialect.ts';
import type { DecodeOptions, DecodeRole } from '../../src/wire/decoder.ts';
import { type Flavour, Populator, type Samples } from './populate.ts';
import { type Shape, type Spec, type Step, typeNamed } from './shape.ts';
import { spec10, SPECS } from './specs.ts';

/** One codec of a dialect, and the shape of the values on one side of it. */
export interface Subject {
  /** The dialect whose losses apply. */
  readonly dialect: string;
  /** The position of the value: `{ type: 'GetTask', member: 'params' }`. */
  readonly root: Step;
  readonly role: DecodeRole;
  readonly codec: Codec<unknown>;
  decode(json: unknown, options?: DecodeOptions): unknown;
  /** `closes` matters for streams only. */
  encode(value: unknown, closes?: boolean): unknown;
  readonly spec: Spec;
  readonly shape: Shape;
}

/** Every codec of a dialect, with the shape of the model. */
export function modelSubjects(dialect: Dialect): readonly Subject[] {
  const event = typeNamed('StreamResponse');
  const calls = spec10.calls.flatMap(({ method, input, output }) =>
    callSubjects(dialect, spec10, method as OperationName, input, output),
  );
  return [...calls, ...otherSubjects(dialect, spec10, spec10, event)];
}

/** The 1.0 names of the 0.3 protocol definition's methods. */
const RENAMED: Readonly<Record<string, OperationName>> = {
  TaskSubscription: 'SubscribeToTask',
  ListTaskPushNotificationConfig: 'ListTaskPushNotificationConfigs',
  GetAgentCard: 'GetExtendedAgentCard',
};

/** Every codec of a dialect, with the shape of the wire. */
export function wireSubjects(dialect: Dialect): readonly Subject[] {
  const spec: Spec | undefined = SPECS[dialect.name as keyof typeof SPECS];
  if (spec === undefined) return [];
  const calls = spec.calls.flatMap(({ method, input, output }) => {
    const operation = operationOf(dialect, method) ?? RENAMED[method] ?? (method as OperationName);
    return callSubjects(dialect, spec, operation, input, output);
  });
  return [...calls, ...otherSubjects(dialect, spec, dialect.version === '0.3' ? SPECS.v03 : spec, pushedOf(dialect))];
}

/** The webhooks of 0.3 are those of JSON-RPC, also over REST. 0.1 does not define the body. */
function pushedOf({ version }: Dialect): Shape {
  const types =
    version === '0.1'
      ? ['Task', 'TaskStatusUpdateEvent', 'TaskArtifactUpdateEvent']
      : ['Task', 'Message', 'TaskStatusUpdateEvent', 'TaskArtifactUpdateEvent'];
  return { kind: 'union', options: types.map(typeNamed) };
}

function callSubjects(
  dialect: Dialect,
  spec: Spec,
  operation: OperationName,
  input: Shape,
  output: Shape,
): readonly Subject[] {
  const codec = dialect.operations[operation] as OperationCodec<OperationName> | undefined;
  if (codec === undefined) return [];
  const params = subject(dialect.name, { type: operation, member: 'params' }, codec.params, 'request', spec, input);
  const result = subject(dialect.name, { type: operation, member: 'result' }, codec.result, 'response', spec, output);
  if (!isStreaming(operation)) return [params, result];
  const streamed: Subject = {
    ...result,
    // If a dialect encodes one event as several items, only the first is compared; the loss of the others is listed.
    encode: (value, closes = false) => dialect.createStreamEncoder().encode(value as StreamResponse, closes)[0],
  };
  return [params, streamed];
}

function otherSubjects(dialect: Dialect, spec: Spec, pushed: Spec, event: Shape): readonly Subject[] {
  // A profile without a card and a webhook uses those of a dialect.
  if (dialect.name === 'flat-task') return [];
  const card = dialect.card as Codec<unknown>;
  const webhook = dialect.webhook as Codec<unknown>;
  const pusher = dialect.version === '0.3' ? 'v03' : dialect.name;
  return [
    subject(dialect.name, { type: 'WellKnown', member: 'card' }, card, 'response', spec, typeNamed('AgentCard')),
    subject(pusher, { type: 'PushNotification', member: 'webhook' }, webhook, 'response', pushed, event),
  ];
}

function subject(
  dialect: string,
  root: Step,
  codec: Codec<unknown>,
  role: DecodeRole,
  spec: Spec,
  shape: Shape,
): Subject {
  return {
    dialect,
    root,
    role,
    codec,
    decode: (json, options) => decode(codec, json, role, options).value,
    encode: (value) => codec.encode(value),
    spec,
    shape,
  };
}

export function populate({ spec, shape }: Subject, samples: Samples, flavour: Flavour = 'full'): readonly JsonValue[] {
  return new Populator(spec, samples, flavour).values(shape);
}
