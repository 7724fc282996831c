import type { JsonValue } from '../../src/model/json.ts';
import type { Dialect } from '../../src/wire/dialect.ts';
import type { Samples } from './populate.ts';
import { membersOf, type Spec } from './shape.ts';
import { SPECS } from './specs.ts';

/** The requirements of the model beyond the types of 1.0. */
export function modelSamples({ version, name }: Dialect): Samples {
  return {
    'SendMessageRequest.message.role': () => ['ROLE_USER'],
    'ListTasksRequest.pageSize': () => [7],
    // A card of an older version contains only the interfaces of that version.
    'AgentInterface.protocolVersion': () => [version],
    'AgentInterface.protocolBinding': () => ['JSONRPC', 'GRPC'],
    'APIKeySecurityScheme.location': () => ['header', 'query', 'cookie'],
    ...(name === 'v01' ? CARD_OF_01 : {}),
  };
}

/** 0.1 has one URL, and alternatives of one scheme each. */
const CARD_OF_01: Samples = {
  'AgentCard.supportedInterfaces': () => [
    [{ url: 'https://example.com/a2a', protocolBinding: 'JSONRPC', tenant: 'acme', protocolVersion: '0.1' }],
  ],
  'SecurityRequirement.schemes': () => [{ 'key-0': { list: ['read', 'write'] } }, { 'key-1': {} }],
};

const URL = 'https://example.com/a2a';

/** The URL of a card, which most cards repeat in the list of interfaces. */
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

/** `final` depends on the state; both take their choices in the same order. */
function finals(spec: Spec): () => readonly boolean[] {
  const state = membersOf(spec, 'TaskStatus').find(({ name }) => name === 'state');
  const stringEnum = state?.shape.kind === 'word' ? state.shape.stringEnum : [];
  return () => stringEnum.map((word) => ENDS.includes(word));
}

function tagged(protocolVersion: string, spec: Spec): Samples {
  return {
    ...addresses(protocolVersion),
    'MessageSendParams.message.role': () => ['user'],
    // Absence means true.
    'MessageSendConfiguration.blocking': () => [false],
    'TaskStatus.timestamp': () => ['2026-03-12T10:00:00.000Z'],
    'FileWithBytes.bytes': () => ['Ynl0ZXM='],
    'TaskStatusUpdateEvent.final': finals(spec),
  };
}

const NAME: JsonValue = 'tasks/task/pushNotificationConfigs/config';

/** The protocol definition of 0.3 identifies tasks and configs by resource names, which must agree. */
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

/** The requirements on a wire value beyond the types of its version, so that it is encoded again unchanged. */
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
