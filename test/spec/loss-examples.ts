import type { Artifact } from '../../src/model/artifact.ts';
import type { AgentCard } from '../../src/model/card.ts';
import type { Message } from '../../src/model/message.ts';
import type { Task } from '../../src/model/task.ts';
import type { LossyDialect } from './losses.ts';

/** A value that shows a loss which full values do not have, or only by accident. */
export interface LossExample {
  readonly shows: string;
  /** The lost member, as in the table. */
  readonly member: string;
  readonly dialects: readonly LossyDialect[];
  /** Operation and member, as in a subject's root. */
  readonly root: readonly [type: string, member: string];
  value(dialect: LossyDialect): object;
}

const ALL_03: readonly LossyDialect[] = ['v03', 'v03-proto', 'v03-kind'];
const BEFORE_1: readonly LossyDialect[] = [...ALL_03, 'v02', 'v01'];

const VERSIONS: Readonly<Partial<Record<LossyDialect, string>>> = { v02: '0.2', v01: '0.1' };

function cardFor(dialect: LossyDialect, members: Partial<AgentCard> = {}): AgentCard {
  return {
    name: 'Agent',
    description: 'An agent',
    supportedInterfaces: [
      { url: 'https://example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: VERSIONS[dialect] ?? '0.3' },
    ],
    version: '1',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    ...members,
  };
}

const message = (members: Partial<Message>): Message => ({
  messageId: 'm',
  role: 'ROLE_USER',
  parts: [{ text: 'hi' }],
  ...members,
});
const task = (members: Partial<Task>): Task => ({
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_WORKING' },
  ...members,
});
const artifact = (members: Partial<Artifact>): Artifact => ({ artifactId: 'a', parts: [{ text: 'hi' }], ...members });

const DEVICE_CODE = {
  oauth2SecurityScheme: {
    flows: {
      deviceCode: { deviceAuthorizationUrl: 'https://example.com/d', tokenUrl: 'https://example.com/t', scopes: {} },
    },
  },
};
const BEARER = { httpAuthSecurityScheme: { scheme: 'Bearer' } };

export const WRITE_EXAMPLES: readonly LossExample[] = [
  {
    shows: 'the tenant of a REST interface goes into its address',
    member: 'AgentInterface.url',
    dialects: [...ALL_03, 'v02'],
    root: ['WellKnown', 'card'],
    value: (dialect) =>
      cardFor(dialect, {
        supportedInterfaces: cardFor(dialect).supportedInterfaces.map((each) => ({
          ...each,
          protocolBinding: 'HTTP+JSON',
          tenant: 'acme',
        })),
      }),
  },
  {
    shows: 'interfaces of another version are left out',
    member: 'AgentCard.supportedInterfaces',
    dialects: BEFORE_1,
    root: ['WellKnown', 'card'],
    value: (dialect) =>
      cardFor(dialect, {
        supportedInterfaces: [
          ...cardFor(dialect).supportedInterfaces,
          { url: 'https://example.com/1', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      }),
  },
  {
    shows: 'an alternative that needs an unknown scheme is left out',
    member: 'AgentCard.securityRequirements',
    dialects: [...ALL_03, 'v02'],
    root: ['WellKnown', 'card'],
    value: (dialect) =>
      cardFor(dialect, {
        securitySchemes: { device: DEVICE_CODE, bearer: BEARER },
        securityRequirements: [{ schemes: { device: {} } }, { schemes: { bearer: {} } }],
      }),
  },
  {
    shows: 'of interfaces that differ in their tenant only, the first is left',
    member: 'AgentCard.supportedInterfaces',
    dialects: [...ALL_03, 'v02'],
    root: ['WellKnown', 'card'],
    value: (dialect) =>
      cardFor(dialect, {
        supportedInterfaces: ['one', 'two'].flatMap((tenant) =>
          cardFor(dialect).supportedInterfaces.map((each) => ({ ...each, tenant })),
        ),
      }),
  },
  {
    shows: 'an alternative of a skill that needs an unknown scheme is left out',
    member: 'AgentSkill.securityRequirements',
    dialects: ALL_03,
    root: ['WellKnown', 'card'],
    value: (dialect) => {
      const securityRequirements = [{ schemes: { device: {} } }, { schemes: { bearer: {} } }];
      return cardFor(dialect, {
        securitySchemes: { device: DEVICE_CODE, bearer: BEARER },
        skills: [{ id: 's', name: 'S', description: '', tags: [], securityRequirements }],
      });
    },
  },
  {
    shows: 'a skill that can only be used with an unknown scheme is left out',
    member: 'AgentCard.skills',
    dialects: ALL_03,
    root: ['WellKnown', 'card'],
    value: (dialect) =>
      cardFor(dialect, {
        securitySchemes: { device: DEVICE_CODE },
        skills: [
          { id: 's', name: 'S', description: '', tags: [], securityRequirements: [{ schemes: { device: {} } }] },
        ],
      }),
  },
  {
    shows: 'a scheme that is only named is read as one',
    member: 'AgentCard.securitySchemes',
    dialects: ['v01'],
    root: ['WellKnown', 'card'],
    value: (dialect) => cardFor(dialect, { securityRequirements: [{ schemes: { Bearer: {} } }] }),
  },
  {
    shows: 'the mode called text is read as text/plain',
    member: 'AgentSkill.inputModes',
    dialects: ['v01'],
    root: ['WellKnown', 'card'],
    value: (dialect) =>
      cardFor(dialect, {
        defaultInputModes: ['text'],
        defaultOutputModes: ['text'],
        skills: [{ id: 's', name: 'S', description: '', tags: [], inputModes: ['text'], outputModes: ['text'] }],
      }),
  },
  {
    shows: 'metadata that is empty but for references is gone',
    member: 'Message.metadata',
    dialects: ['v03-proto'],
    root: ['SendMessage', 'params'],
    value: () => ({ message: message({ metadata: {}, referenceTaskIds: ['t'] }) }),
  },
  {
    shows: 'a listed config without an id goes by that of its task',
    member: 'ListTaskPushNotificationConfigsResponse.configs.id',
    dialects: ['v03-proto'],
    root: ['ListTaskPushNotificationConfigs', 'result'],
    value: () => ({ configs: [{ taskId: 't', url: 'https://example.com/hook' }] }),
  },
  {
    shows: 'an empty configuration is gone',
    member: 'SendMessageRequest.configuration',
    dialects: ['v01'],
    root: ['SendMessage', 'params'],
    value: () => ({ message: message({ taskId: 't' }), configuration: {} }),
  },
  {
    shows: 'keys of ours in the metadata of a part are overwritten',
    member: 'Part.metadata',
    dialects: BEFORE_1,
    root: ['SendMessage', 'params'],
    value: () => ({
      message: message({
        taskId: 't',
        parts: [{ text: 'hi', filename: 'mine', metadata: { 'a2a:filename': 'theirs' } }],
      }),
    }),
  },
  {
    shows: 'keys of ours in the metadata of a message are overwritten',
    member: 'Message.metadata',
    dialects: ['v03-proto'],
    root: ['SendMessage', 'params'],
    value: () => ({ message: message({ referenceTaskIds: ['t'], metadata: { 'a2a:referenceTaskIds': ['u'] } }) }),
  },
  {
    shows: 'keys of ours in the metadata of artifacts are overwritten',
    member: 'Artifact.metadata',
    dialects: ['v01'],
    root: ['GetTask', 'result'],
    value: () => task({ artifacts: [artifact({ metadata: { 'a2a:artifactId': 'b' } })] }),
  },
  {
    shows: 'keys of ours in the metadata of tasks are overwritten',
    member: 'Task.metadata',
    dialects: ['v01'],
    root: ['GetTask', 'result'],
    value: () => task({ status: { state: 'TASK_STATE_REJECTED' }, metadata: { 'a2a:state': 'theirs' } }),
  },
  {
    shows: 'keys of ours in the metadata of a status are overwritten',
    member: 'TaskStatus.message.metadata',
    dialects: ['v01'],
    root: ['GetTask', 'result'],
    value: () =>
      task({ status: { state: 'TASK_STATE_REJECTED', message: message({ metadata: { 'a2a:state': 'theirs' } }) } }),
  },
  {
    shows: 'keys of ours in the metadata of events are overwritten',
    member: 'TaskStatusUpdateEvent.metadata',
    dialects: ['v01'],
    root: ['SendStreamingMessage', 'result'],
    value: () => ({
      statusUpdate: {
        taskId: 't',
        contextId: 'c',
        status: { state: 'TASK_STATE_REJECTED' },
        metadata: { 'a2a:state': 'theirs' },
      },
    }),
  },
  {
    shows: 'the time of a status is taken for that of creation',
    member: 'Task.metadata',
    dialects: ['flat-task'],
    root: ['GetTask', 'result'],
    value: () => task({ status: { state: 'TASK_STATE_WORKING', timestamp: '2026-03-12T10:00:00.000Z' } }),
  },
];

const FINE_TIME = '2026-03-12T10:00:00.123456Z';

export const READ_EXAMPLES: readonly LossExample[] = [
  {
    shows: 'times are cut off at the millisecond',
    member: 'TaskStatus.timestamp',
    dialects: ['v03', 'v03-kind', 'v02'],
    root: ['GetTask', 'result'],
    value: () => ({ kind: 'task', id: 't', contextId: 'c', status: { state: 'working', timestamp: FINE_TIME } }),
  },
  {
    shows: 'times are cut off at the millisecond',
    member: 'TaskStatus.timestamp',
    dialects: ['v1', 'v03-proto'],
    root: ['GetTask', 'result'],
    value: () => ({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', timestamp: FINE_TIME } }),
  },
  {
    shows: 'times are cut off at the millisecond',
    member: 'TaskStatus.timestamp',
    dialects: ['v01'],
    root: ['GetTask', 'result'],
    value: () => ({ id: 't', sessionId: 'c', status: { state: 'working', timestamp: FINE_TIME } }),
  },
];
