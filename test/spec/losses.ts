import type { JsonValue } from '../../src/model/json.ts';

/** The dialects by name, and the flat-task profile, which loses most. */
export type LossyDialect = 'v1' | 'v03' | 'v03-proto' | 'v03-kind' | 'v02' | 'v01' | 'flat-task';

/**
 * Something that does not survive a dialect. Losing data is a decision, not an accident: the parity tests fail on every
 * loss that is not listed here, and on every listed one that does not happen.
 */
export interface Loss {
  readonly dialects: readonly LossyDialect[];
  /** `write`: in the model, but not in the dialect. `read`: in the dialect, but not in the model. */
  readonly direction: 'write' | 'read';
  /**
   * `Type.member`, if the dialect has it, with the names of 1.0 for `write` and those of the dialect for `read`. A longer
   * path means the member only at that position, and may start at an operation: `CancelTask.params.metadata`.
   */
  readonly members: readonly string[];
  /** Only these values are lost; `undefined` is absence, which is decoded as some value. */
  readonly values?: readonly (JsonValue | undefined)[];
  /** Only values that contain this member are lost. */
  readonly holding?: string;
  /** The loss happens only under this condition. */
  readonly when?: string;
  readonly reason: string;
}

const TAGGED = ['v03', 'v03-kind', 'v02'] as const;
const ALL_03 = ['v03', 'v03-proto', 'v03-kind'] as const;
const BEFORE_1 = [...ALL_03, 'v02', 'v01'] as const;

const WRITING: readonly Omit<Loss, 'direction'>[] = [
  {
    dialects: BEFORE_1,
    members: [
      'SendMessageRequest.tenant',
      'GetTaskRequest.tenant',
      'CancelTaskRequest.tenant',
      'SubscribeToTaskRequest.tenant',
      'TaskPushNotificationConfig.tenant',
      'GetTaskPushNotificationConfigRequest.tenant',
      'ListTaskPushNotificationConfigsRequest.tenant',
      'DeleteTaskPushNotificationConfigRequest.tenant',
      'GetExtendedAgentCardRequest.tenant',
      'AgentInterface.tenant',
    ],
    reason: 'Added in 1.0. Earlier versions identify the tenant by the URL or by the credentials.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['AgentInterface.url'],
    when: 'the binding is HTTP+JSON and the interface has a tenant',
    reason: 'The tenant becomes part of the URL, because these cards have no member for it.',
  },
  {
    dialects: BEFORE_1,
    members: ['AgentCard.supportedInterfaces'],
    when: 'an interface has another version or differs only in its tenant; in 0.1 also if it is not JSONRPC or not the first',
    reason: 'These cards have one version for all interfaces and no tenants, and a 0.1 card has one URL.',
  },
  {
    dialects: BEFORE_1,
    members: ['AgentCard.signatures'],
    reason: 'A signature covers the 1.0 card and is invalid for any other form of it.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['AuthorizationCodeOAuthFlow.pkceRequired'],
    reason: 'Added in 1.0. Clients that always use PKCE are not affected.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['SecurityScheme.oauth2SecurityScheme'],
    holding: 'flows.deviceCode',
    reason: 'The device code flow was added in 1.0, and a scheme without a flow is unusable.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['AgentCard.securityRequirements'],
    when: 'an alternative needs a scheme that is dropped',
    reason: 'Without it the alternative would be too permissive. A card with no alternative left is rejected.',
  },
  {
    dialects: ALL_03,
    members: ['AgentSkill.securityRequirements'],
    when: 'an alternative needs a scheme that is dropped',
    reason: 'Without it the alternative would be too permissive.',
  },
  {
    dialects: ALL_03,
    members: ['AgentCard.skills'],
    when: 'all alternatives of a skill need a scheme that is dropped',
    reason: 'The skill would appear to be open to every caller of the agent.',
  },
  {
    dialects: ['v02'],
    members: ['SecurityScheme.mtlsSecurityScheme', 'OAuth2SecurityScheme.oauth2MetadataUrl'],
    reason: 'Added in 0.3.',
  },
  {
    dialects: ['v02', 'v01'],
    members: ['AgentSkill.securityRequirements'],
    reason: 'Added in 0.3. The requirements of the agent are kept.',
  },
  {
    dialects: ['v01'],
    members: ['AgentCard.securitySchemes', 'AgentCard.securityRequirements'],
    reason: '0.1 lists scheme names, each an alternative, without details, scopes or combinations.',
  },
  {
    dialects: ['v01'],
    members: ['AgentCard.securitySchemes'],
    values: [undefined],
    when: 'requirements name schemes that the card does not define',
    reason: '0.1 has only the names of schemes, so each name is decoded as a scheme.',
  },
  {
    dialects: ['v01'],
    members: ['AgentCard.iconUrl', 'AgentCapabilities.extensions', 'AgentCapabilities.extendedAgentCard'],
    reason: 'Added in 0.2.',
  },
  {
    dialects: ['v01'],
    members: [
      'AgentCard.defaultInputModes',
      'AgentCard.defaultOutputModes',
      'AgentSkill.inputModes',
      'AgentSkill.outputModes',
    ],
    when: 'a mode is `text`',
    reason: 'The 0.1 schema uses this name for plain text. It is decoded as text/plain.',
  },
  {
    dialects: BEFORE_1,
    members: ['SendMessageConfiguration.taskPushNotificationConfig.taskId'],
    reason: 'There is no member for it, and 1.0 requires it to be empty because the task does not exist yet.',
  },
  {
    dialects: TAGGED,
    members: [
      'ListTaskPushNotificationConfigsRequest.pageSize',
      'ListTaskPushNotificationConfigsRequest.pageToken',
      'ListTaskPushNotificationConfigsResponse.nextPageToken',
    ],
    reason: 'There is no pagination: a response contains all configs.',
  },
  {
    dialects: ['v03-proto'],
    members: [
      'CreateTaskPushNotificationConfig.params.id',
      'CreateTaskPushNotificationConfig.result.id',
      'GetTaskPushNotificationConfig.result.id',
      'ListTaskPushNotificationConfigsResponse.configs.id',
    ],
    values: [undefined],
    reason: 'The name of a config contains its id, so a config without one gets the id of its task.',
  },
  {
    dialects: ['v03-proto'],
    members: ['SendMessageConfiguration.historyLength', 'GetTaskRequest.historyLength'],
    values: [0],
    reason: '0 and absence are the same and mean the whole history. The client truncates the history itself.',
  },
  {
    dialects: ['v03-proto'],
    members: ['CancelTaskRequest.metadata'],
    reason: 'The 0.3 protocol definition has no metadata in this request.',
  },
  {
    dialects: [...TAGGED, 'v01'],
    members: ['Message.role'],
    values: ['ROLE_UNSPECIFIED'],
    reason: 'There are only two roles. Every role other than user is encoded as agent.',
  },
  {
    dialects: ['v02'],
    members: ['SendMessageConfiguration.acceptedOutputModes'],
    values: [undefined],
    reason: 'Required up to 0.2.5. The default is text and JSON.',
  },
  {
    dialects: BEFORE_1,
    members: ['Part.metadata'],
    values: [{}],
    when: 'a name or type that only files have, or data that is not an object, is carried in the metadata',
    reason: 'Once the carried values are removed, empty metadata and no metadata are the same.',
  },
  {
    dialects: ['v03-proto'],
    members: ['Message.metadata'],
    values: [{}],
    when: 'references to tasks are carried in the metadata',
    reason: 'Once the carried values are removed, empty metadata and no metadata are the same.',
  },
  {
    dialects: ['v01'],
    members: ['Artifact.metadata'],
    values: [{}],
    reason: '0.1 numbers artifacts, so the metadata carries their ids. Empty and no metadata are the same then.',
  },
  {
    dialects: ['v01'],
    members: ['TaskStatus.message.metadata', 'Task.metadata', 'TaskStatusUpdateEvent.metadata'],
    values: [{}],
    when: 'the state is carried in the metadata',
    reason: '0.1 lacks the states rejected and auth-required. Empty and no metadata are the same then.',
  },
  {
    dialects: BEFORE_1,
    members: ['Part.metadata'],
    when: 'it already has keys that start with a2a:, or the key data_part_compat',
    reason: 'These keys are reserved: they carry values that the dialect has no member for. Decoding removes them.',
  },
  {
    dialects: ['v03-proto'],
    members: ['Message.metadata'],
    when: 'it already has keys that start with a2a:',
    reason: 'These keys are reserved: they carry values that the dialect has no member for. Decoding removes them.',
  },
  {
    dialects: ['v01'],
    members: ['Artifact.metadata', 'Task.metadata', 'TaskStatus.message.metadata', 'TaskStatusUpdateEvent.metadata'],
    when: 'it already has keys that start with a2a:',
    reason: 'These keys are reserved: they carry values that the dialect has no member for. Decoding removes them.',
  },
  {
    dialects: ['v01'],
    members: [
      'Message.messageId',
      'TaskStatus.message.contextId',
      'TaskStatus.message.taskId',
      'Task.history.contextId',
      'Task.history.taskId',
      'Message.extensions',
      'Message.referenceTaskIds',
      'Artifact.extensions',
    ],
    reason: 'Added in 0.2. Decoding generates message ids. The params contain the other ids of a sent message.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageRequest.message.taskId'],
    values: [undefined],
    reason: 'The caller chooses the task id, so a new task gets the id of the message.',
  },
  {
    dialects: ['v01'],
    members: ['TaskStatusUpdateEvent.contextId', 'TaskArtifactUpdateEvent.contextId'],
    reason: 'Events contain only the task id.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageResponse.message', 'StreamResponse.message'],
    reason: '0.1 responds only with tasks: the message becomes the status message of a completed task.',
  },
  {
    dialects: ['v01'],
    members: ['SendStreamingMessage.result.task', 'SubscribeToTask.result.task'],
    reason: 'Streams contain only events: the task becomes one status event and one event for each artifact.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageConfiguration.acceptedOutputModes', 'SendMessageConfiguration.returnImmediately'],
    reason: 'Added in 0.2. A send always waits for the task.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageRequest.configuration'],
    values: [{}],
    reason: 'Its members are members of the params, so an empty configuration leaves nothing.',
  },
  {
    dialects: ['v01'],
    members: ['GetTaskRequest.historyLength'],
    values: [undefined],
    reason: '0.1 returns no history unless the caller requests it.',
  },
  {
    dialects: ['v01'],
    members: ['TaskPushNotificationConfig.id', 'GetTaskPushNotificationConfigRequest.id'],
    reason: 'A task has one config, which has no id.',
  },
  {
    dialects: ['flat-task'],
    members: [
      'SendMessageRequest.tenant',
      'SendMessageRequest.configuration',
      'GetTaskRequest.tenant',
      'GetTaskRequest.historyLength',
    ],
    reason: 'A send is one text with hints, and the path contains the task id.',
  },
  {
    dialects: ['flat-task'],
    members: [
      'SendMessageRequest.message',
      'SendMessageResponse.message',
      'TaskStatus.message',
      'Task.artifacts',
      'Task.history',
    ],
    reason: 'All messages and results are in one list of texts by user or agent.',
  },
  {
    dialects: ['flat-task'],
    members: ['Task.history'],
    values: [undefined],
    when: 'the task has artifacts or a status message',
    reason: 'All messages and results are in one list of texts by user or agent.',
  },
  {
    dialects: ['flat-task'],
    members: ['SendMessageRequest.metadata'],
    values: [{}],
    reason: 'Its members are encoded next to the text, so empty metadata leaves nothing.',
  },
  {
    dialects: ['flat-task'],
    members: ['Task.metadata'],
    reason: 'Only the creation time has a member.',
  },
  {
    dialects: ['flat-task'],
    members: ['Task.metadata'],
    values: [undefined],
    when: 'the status has a timestamp',
    reason: 'It becomes the creation time if no other is known.',
  },
  {
    dialects: ['flat-task'],
    members: ['TaskStatus.state'],
    values: [
      'TASK_STATE_UNSPECIFIED',
      'TASK_STATE_CANCELED',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_REJECTED',
      'TASK_STATE_AUTH_REQUIRED',
    ],
    reason: 'There are only four states: an unsuccessful end is failed, and a waiting task is working.',
  },
];

const READING: readonly Omit<Loss, 'direction'>[] = [
  {
    dialects: [...TAGGED, 'v01'],
    members: [
      'GetTask.params.metadata',
      'SubscribeToTask.params.metadata',
      'GetTaskPushNotificationConfig.params.metadata',
      'ListTaskPushNotificationConfigs.params.metadata',
      'DeleteTaskPushNotificationConfig.params.metadata',
    ],
    reason: 'Among the requests for one task, only cancel has metadata in 1.0.',
  },
  {
    dialects: BEFORE_1,
    members: ['PushNotificationAuthenticationInfo.schemes', 'AuthenticationInfo.schemes'],
    reason: '1.0 has one scheme. Bearer is used if it is in the list, else the first.',
  },
  {
    dialects: [...TAGGED, 'v01'],
    members: ['AgentCapabilities.stateTransitionHistory'],
    reason: 'No version defines its format; 1.0 removed it. True if the agent declares `urn:tandem-a2a:transitions:1`.',
  },
  {
    dialects: ALL_03,
    members: ['AgentCard.signatures'],
    reason: 'A signature covers the received form of the card, which encoding does not reproduce.',
  },
  {
    dialects: ['v01'],
    members: ['AgentAuthentication.credentials'],
    reason: 'Secrets on a card are not part of the model.',
  },
  {
    dialects: ['v01'],
    members: ['SubscribeToTask.params.historyLength'],
    reason: 'Has no effect: the response contains no task.',
  },
  {
    dialects: ['v01'],
    members: ['Task.artifacts.append', 'Task.artifacts.lastChunk'],
    reason: 'Only for chunks in a stream. Artifacts in a task are complete.',
  },
  {
    dialects: ['v1', ...BEFORE_1],
    members: ['TaskStatus.timestamp'],
    when: 'it has more than millisecond precision',
    reason: 'Timestamps have millisecond precision (1.0 §5.6.1).',
  },
];

/** All losses with their reasons. `docs/protocol-versions.md` shows the same table. */
export const LOSSES: readonly Loss[] = [
  ...WRITING.map((loss): Loss => ({ direction: 'write', ...loss })),
  ...READING.map((loss): Loss => ({ direction: 'read', ...loss })),
];
