import type { JsonValue } from '../model/json.ts';

/** The dialects by name, and the profile of flat tasks, which loses most. */
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
   * `Type.member`, as far as the dialect has it, in the words of 1.0 when writing and in those of the dialect when reading. A longer path stands for
   * that member in that place only, and may start at an operation: `CancelTask.params.metadata`.
   */
  readonly members: readonly string[];
  /** Only these values are lost; `undefined` is absence, which comes back as something. */
  readonly values?: readonly (JsonValue | undefined)[];
  /** Only values in which this member is set are lost. */
  readonly holding?: string;
  /** Happens only under this condition. */
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
    reason: 'Tenants came with 1.0. Before it, the address or the credentials say whose request it is.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['AgentInterface.url'],
    when: 'the interface is of HTTP+JSON and has a tenant',
    reason: 'The tenant becomes part of the address, which is the only place for it.',
  },
  {
    dialects: BEFORE_1,
    members: ['AgentCard.supportedInterfaces'],
    when: 'an interface is of another version or differs in its tenant only; in 0.1 also if it is not JSONRPC or not the first',
    reason: 'The version is that of the whole card, tenants do not exist, and 0.1 has one address.',
  },
  {
    dialects: BEFORE_1,
    members: ['AgentCard.signatures'],
    reason: 'A signature covers the card of 1.0 and would be wrong for any other form of it.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['AuthorizationCodeOAuthFlow.pkceRequired'],
    reason: 'Came with 1.0. Clients that use PKCE anyway are not affected.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['SecurityScheme.oauth2SecurityScheme'],
    holding: 'flows.deviceCode',
    reason: 'The device code flow came with 1.0; a scheme without its flow would mean nothing.',
  },
  {
    dialects: [...ALL_03, 'v02'],
    members: ['AgentCard.securityRequirements'],
    when: 'an alternative needs a scheme that is left out',
    reason: 'Without that scheme the alternative would be a weaker lock. A card with no alternative left is refused.',
  },
  {
    dialects: ALL_03,
    members: ['AgentSkill.securityRequirements'],
    when: 'an alternative needs a scheme that is left out',
    reason: 'Without that scheme the alternative would be a weaker lock.',
  },
  {
    dialects: ALL_03,
    members: ['AgentCard.skills'],
    when: 'all alternatives of a skill need a scheme that is left out',
    reason: 'The skill would look open to every caller of the agent.',
  },
  {
    dialects: ['v02'],
    members: ['SecurityScheme.mtlsSecurityScheme', 'OAuth2SecurityScheme.oauth2MetadataUrl'],
    reason: 'Came with 0.3.',
  },
  {
    dialects: ['v02', 'v01'],
    members: ['AgentSkill.securityRequirements'],
    reason: 'Came with 0.3. The requirements of the whole agent stay.',
  },
  {
    dialects: ['v01'],
    members: ['AgentCard.securitySchemes', 'AgentCard.securityRequirements'],
    reason: '0.1 only has names of schemes, each of which is an alternative: no details, no scopes, no two together.',
  },
  {
    dialects: ['v01'],
    members: ['AgentCard.securitySchemes'],
    values: [undefined],
    when: 'requirements name schemes that the card does not describe',
    reason: 'A name is all that 0.1 knows of a scheme, so each is read as one.',
  },
  {
    dialects: ['v01'],
    members: ['AgentCard.iconUrl', 'AgentCapabilities.extensions', 'AgentCapabilities.extendedAgentCard'],
    reason: 'Came with 0.2.',
  },
  {
    dialects: ['v01'],
    members: [
      'AgentCard.defaultInputModes',
      'AgentCard.defaultOutputModes',
      'AgentSkill.inputModes',
      'AgentSkill.outputModes',
    ],
    when: 'a mode is called text',
    reason: 'The schema of 0.1 calls plain text so, and it is read as text/plain.',
  },
  {
    dialects: BEFORE_1,
    members: ['SendMessageConfiguration.taskPushNotificationConfig.taskId'],
    reason: 'Has no place there, and 1.0 wants it empty: the task does not exist yet.',
  },
  {
    dialects: TAGGED,
    members: [
      'ListTaskPushNotificationConfigsRequest.pageSize',
      'ListTaskPushNotificationConfigsRequest.pageToken',
      'ListTaskPushNotificationConfigsResponse.nextPageToken',
    ],
    reason: 'There are no pages: all configs come at once.',
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
    reason: 'A config is named by its id, so one without goes by that of its task, as all servers of the time have it.',
  },
  {
    dialects: ['v03-proto'],
    members: ['SendMessageConfiguration.historyLength', 'GetTaskRequest.historyLength'],
    values: [0],
    reason: '0 cannot be told from absence, and means the whole history. Clients cut it off themselves.',
  },
  {
    dialects: ['v03-proto'],
    members: ['CancelTaskRequest.metadata'],
    reason: 'The protocol definition of 0.3 has no metadata there.',
  },
  {
    dialects: [...TAGGED, 'v01'],
    members: ['Message.role'],
    values: ['ROLE_UNSPECIFIED'],
    reason: 'There are two words only. What is not the user is the agent.',
  },
  {
    dialects: ['v02'],
    members: ['SendMessageConfiguration.acceptedOutputModes'],
    values: [undefined],
    reason: 'Required up to 0.2.5. Text and JSON are named if nothing is.',
  },
  {
    dialects: BEFORE_1,
    members: ['Part.metadata'],
    values: [{}],
    when: 'a name or type that only files have, or data that is not an object, is carried in the metadata',
    reason: 'Empty metadata cannot be told from none after what was carried is taken out.',
  },
  {
    dialects: ['v03-proto'],
    members: ['Message.metadata'],
    values: [{}],
    when: 'references to tasks are carried in the metadata',
    reason: 'Empty metadata cannot be told from none after what was carried is taken out.',
  },
  {
    dialects: ['v01'],
    members: ['Artifact.metadata'],
    values: [{}],
    reason:
      '0.1 numbers artifacts, so their ids are carried in the metadata. Empty metadata cannot be told from none then.',
  },
  {
    dialects: ['v01'],
    members: ['TaskStatus.message.metadata', 'Task.metadata', 'TaskStatusUpdateEvent.metadata'],
    values: [{}],
    when: 'the state is carried in the metadata',
    reason: '0.1 has no words for rejected and auth-required. Empty metadata cannot be told from none then.',
  },
  {
    dialects: BEFORE_1,
    members: ['Part.metadata'],
    when: 'it has keys of its own that begin with a2a:, or the key data_part_compat',
    reason: 'These keys are ours: they carry what a dialect has no member for, and are taken out on reading.',
  },
  {
    dialects: ['v03-proto'],
    members: ['Message.metadata'],
    when: 'it has keys of its own that begin with a2a:',
    reason: 'These keys are ours: they carry what a dialect has no member for, and are taken out on reading.',
  },
  {
    dialects: ['v01'],
    members: ['Artifact.metadata', 'Task.metadata', 'TaskStatus.message.metadata', 'TaskStatusUpdateEvent.metadata'],
    when: 'it has keys of its own that begin with a2a:',
    reason: 'These keys are ours: they carry what a dialect has no member for, and are taken out on reading.',
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
    reason: 'Came with 0.2. Ids of messages are made anew on reading; those of a message that is sent stand beside it.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageRequest.message.taskId'],
    values: [undefined],
    reason: 'The caller names the task, so a new one goes by the id of the message.',
  },
  {
    dialects: ['v01'],
    members: ['TaskStatusUpdateEvent.contextId', 'TaskArtifactUpdateEvent.contextId'],
    reason: 'Events name the task only.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageResponse.message', 'StreamResponse.message'],
    reason: '0.1 answers with tasks only: the message becomes the status of one that is done.',
  },
  {
    dialects: ['v01'],
    members: ['SendStreamingMessage.result.task', 'SubscribeToTask.result.task'],
    reason: 'Streams have events only: the task becomes the event of its status and one for each artifact.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageConfiguration.acceptedOutputModes', 'SendMessageConfiguration.returnImmediately'],
    reason: 'Came with 0.2. The answer to a send always waits.',
  },
  {
    dialects: ['v01'],
    members: ['SendMessageRequest.configuration'],
    values: [{}],
    reason: 'Its members stand beside the message, so an empty one leaves nothing.',
  },
  {
    dialects: ['v01'],
    members: ['GetTaskRequest.historyLength'],
    values: [undefined],
    reason: 'Who does not ask for history in 0.1 gets none.',
  },
  {
    dialects: ['v01'],
    members: ['TaskPushNotificationConfig.id', 'GetTaskPushNotificationConfigRequest.id'],
    reason: 'A task has one config, which needs no id.',
  },
  {
    dialects: ['flat-task'],
    members: [
      'SendMessageRequest.tenant',
      'SendMessageRequest.configuration',
      'GetTaskRequest.tenant',
      'GetTaskRequest.historyLength',
    ],
    reason: 'A send is one text with hints, and the path names the task.',
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
    reason: 'There is one list of texts by user or agent, and all that is said is in it.',
  },
  {
    dialects: ['flat-task'],
    members: ['Task.history'],
    values: [undefined],
    when: 'there are artifacts or a message in the status',
    reason: 'There is one list of texts by user or agent, and all that is said is in it.',
  },
  {
    dialects: ['flat-task'],
    members: ['SendMessageRequest.metadata'],
    values: [{}],
    reason: 'Its members stand beside the text, so an empty one leaves nothing.',
  },
  {
    dialects: ['flat-task'],
    members: ['Task.metadata'],
    reason: 'Only the time of creation has a place.',
  },
  {
    dialects: ['flat-task'],
    members: ['Task.metadata'],
    values: [undefined],
    when: 'the status has a time',
    reason: 'It is the time of creation, if no other is known.',
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
    reason: 'There are four states only: an end without success has failed, and what waits is working.',
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
    reason: 'Of the requests that name a task, 1.0 has metadata on cancel only.',
  },
  {
    dialects: BEFORE_1,
    members: ['PushNotificationAuthenticationInfo.schemes', 'AuthenticationInfo.schemes'],
    reason: '1.0 has one scheme. Of several, Bearer is taken if it is there, else the first.',
  },
  {
    dialects: [...TAGGED, 'v01'],
    members: ['AgentCapabilities.stateTransitionHistory'],
    reason: 'Was never given a form, and left in 1.0. True if the agent declares `urn:tandem-a2a:transitions:1`.',
  },
  {
    dialects: ALL_03,
    members: ['AgentCard.signatures'],
    reason: 'A signature covers the card in the form it came in, which is not the one it is written in again.',
  },
  {
    dialects: ['v01'],
    members: ['AgentAuthentication.credentials'],
    reason: 'A secret in a card has no place in the model.',
  },
  {
    dialects: ['v01'],
    members: ['SubscribeToTask.params.historyLength'],
    reason: 'Means nothing there: no task is sent.',
  },
  {
    dialects: ['v01'],
    members: ['Task.artifacts.append', 'Task.artifacts.lastChunk'],
    reason: 'Of the pieces of a stream only. What is in a task is whole.',
  },
  {
    dialects: ['v1', ...BEFORE_1],
    members: ['TaskStatus.timestamp'],
    when: 'it is finer than a millisecond',
    reason: 'Times have milliseconds (1.0 §5.6.1).',
  },
];

/** Everything that does not survive, with the reason. `docs/protocol-versions.md` shows the same table. */
export const LOSSES: readonly Loss[] = [
  ...WRITING.map((loss): Loss => ({ direction: 'write', ...loss })),
  ...READING.map((loss): Loss => ({ direction: 'read', ...loss })),
];
