import type { JsonValue } from '../../src/model/json.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Samples } from './populate.ts';
import { membersOf, type Spec } from './shape.ts';
import { SPECS } from './specs.ts';

/** What the model wants of a value beyond the types of 1.0. */
export function modelSamples({ version, name }: Dialect): Samples {
  return {
    'SendMessageRequest.message.role': () => ['ROLE_USER'],
    'ListTasksRequest.pageSize': () => [7],
    // A card of an older version shows the interfaces of that version only.
    'AgentInterface.protocolVersion': () => [version],
    'AgentInterface.protocolBinding': () => ['JSONRPC', 'GRPC'],
    'APIKeySecurityScheme.location': () => ['header', 'query', 'cookie'],
    ...(name === 'v01' ? CARD_OF_01 : {}),
  };
}

/** 0.1 has one address, and alternatives of one scheme each. */
const CARD_OF_01: Samples = {
  'AgentCard.supportedInterfaces': () => [
    [{ url: 'https://example.com/a2a', protocolBinding: 'JSONRPC', tenant: 'acme', protocolVersion: '0.1' }],
  ],
  'SecurityRequirement.schemes': () => [{ 'key-0': { list: ['read', 'write'] } }, { 'key-1': {} }],
};

const URL = 'https://example.com/a2a';

/** The address of a card, which most cards repeat among the others. */
function addresses(protocolVersion: string): Samples {
  return {
    'AgentCard.protocolVersion': () => [protocolVersion],
    'AgentCard.url': () => [URL],
    'AgentCard.preferredTransport': () => ['JSONRPC'],
    'AgentCard.additionalInterfaces': () => [
      [
        { url: URL, transport: 'JSONRPC' },
        { url: 'https://example.com/grpc', transport: 'GRPC' },
      ],
    ],
  };
}

const ENDS = ['completed', 'canceled', 'failed', 'rejected'];

/** `final` goes with the state; both take their choices in the same order. */
function finals(spec: Spec): () => readonly boolean[] {
  const state = membersOf(spec, 'TaskStatus').find(({ name }) => name === 'state');
  const words = state?.shape.kind === 'word' ? state.shape.words : [];
  return () => words.map((word) => ENDS.includes(word));
}

function tagged(protocolVersion: string, spec: Spec): Samples {
  return {
    ...addresses(protocolVersion),
    'MessageSendParams.message.role': () => ['user'],
    // Not to say it is to say yes.
    'MessageSendConfiguration.blocking': () => [false],
    'TaskStatus.timestamp': () => ['2026-03-12T10:00:00.000Z'],
    'FileWithBytes.bytes': () => ['Ynl0ZXM='],
    'TaskStatusUpdateEvent.final': finals(spec),
  };
}

const NAME: JsonValue = 'tasks/task/pushNotificationConfigs/config';

/** The protocol definition of 0.3 names tasks and configs by paths, which must agree. */
const PROTO: Samples = {
  ...addresses('0.3.0'),
  'SendMessageRequest.message.role': () => ['ROLE_USER'],
  'GetTaskRequest.name': () => ['tasks/task'],
  'CancelTaskRequest.name': () => ['tasks/task'],
  'TaskSubscriptionRequest.name': () => ['tasks/task'],
  'GetTaskPushNotificationConfigRequest.name': () => [NAME],
  'DeleteTaskPushNotificationConfigRequest.name': () => [NAME],
  'ListTaskPushNotificationConfigRequest.parent': () => ['tasks/task'],
  'CreateTaskPushNotificationConfigRequest.parent': () => ['tasks/task'],
  'CreateTaskPushNotificationConfigRequest.configId': () => ['config'],
  'TaskPushNotificationConfig.name': () => [NAME],
  'TaskPushNotificationConfig.pushNotificationConfig.id': () => ['config'],
};

/** What a value on the wire must be beyond the types of its version, to be written again just so. */
export const WIRE_SAMPLES: Readonly<Record<string, Samples>> = {
  v03: tagged('0.3.0', SPECS.v03),
  'v03-kind': tagged('0.3.0', SPECS.v03),
  'v03-proto': { ...tagged('0.3.0', SPECS.v03), ...PROTO },
  v02: tagged('0.2.6', SPECS.v02),
  v01: {
    'TaskSendParams.message.role': () => ['user'],
    'TaskStatusUpdateEvent.final': finals(SPECS.v01),
  },
};
