import type { Call, Member, Shape, Spec } from './shape.ts';

/**
 * The types and methods of 0.1 in a short notation: `!` is required, `[T]` a list, `'x'` a constant, `a|b` one of
 * several values, `A|B` one of several types.
 */
const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Task: {
    id: 'string!',
    sessionId: 'string',
    status: 'TaskStatus!',
    artifacts: '[Artifact]',
    history: '[Message]',
    metadata: 'object',
  },
  TaskStatus: {
    state: 'submitted|working|input-required|completed|canceled|failed|unknown!',
    message: 'Message',
    timestamp: 'timestamp',
  },
  Message: { role: 'user|agent!', parts: '[TextPart|FilePart|DataPart|ListPart]!', metadata: 'object' },
  TextPart: { type: "'text'!", text: 'string!', metadata: 'object' },
  FilePart: { type: "'file'!", file: 'FileWithBytes|FileWithUri|FileReference!', metadata: 'object' },
  FileWithBytes: { bytes: 'bytes!', name: 'string', mimeType: 'string' },
  FileWithUri: { uri: 'string!', name: 'string', mimeType: 'string' },
  /** A file without bytes and URL: both sides identify it by its name. */
  FileReference: { name: 'string!', mimeType: 'string' },
  DataPart: { type: "'data'!", data: 'object!', metadata: 'object' },
  /** A data part whose data is a list, which no later version before 1.0 allows. */
  ListPart: { type: "'data'!", data: '[any]!', metadata: 'object' },
  Artifact: {
    index: 'integer',
    name: 'string',
    description: 'string',
    parts: '[TextPart|FilePart|DataPart|ListPart]!',
    append: 'boolean',
    lastChunk: 'boolean',
    metadata: 'object',
  },
  TaskStatusUpdateEvent: { id: 'string!', status: 'TaskStatus!', final: 'boolean', metadata: 'object' },
  TaskArtifactUpdateEvent: { id: 'string!', artifact: 'Artifact!', metadata: 'object' },
  TaskSendParams: {
    id: 'string!',
    sessionId: 'string',
    message: 'Message!',
    pushNotification: 'PushNotificationConfig',
    historyLength: 'integer',
    metadata: 'object',
  },
  TaskQueryParams: { id: 'string!', historyLength: 'integer', metadata: 'object' },
  TaskIdParams: { id: 'string!', metadata: 'object' },
  PushNotificationConfig: { url: 'string!', token: 'string', authentication: 'AuthenticationInfo' },
  AuthenticationInfo: { schemes: '[string]!', credentials: 'string' },
  TaskPushNotificationConfig: { id: 'string!', pushNotificationConfig: 'PushNotificationConfig!' },
  AgentCard: {
    name: 'string!',
    description: 'string',
    url: 'string!',
    provider: 'AgentProvider',
    version: 'string!',
    documentationUrl: 'string',
    capabilities: 'AgentCapabilities!',
    authentication: 'AgentAuthentication',
    defaultInputModes: '[string]',
    defaultOutputModes: '[string]',
    skills: '[AgentSkill]!',
  },
  AgentProvider: { organization: 'string!', url: 'string' },
  AgentCapabilities: { streaming: 'boolean', pushNotifications: 'boolean', stateTransitionHistory: 'boolean' },
  AgentAuthentication: { schemes: '[string]!', credentials: 'string' },
  AgentSkill: {
    id: 'string!',
    name: 'string!',
    description: 'string',
    tags: '[string]',
    examples: '[string]',
    inputModes: '[string]',
    outputModes: '[string]',
  },
};

/** Method → params and result. */
const CALLS: Readonly<Record<string, readonly [input: string, output: string]>> = {
  'tasks/send': ['TaskSendParams', 'Task'],
  'tasks/sendSubscribe': ['TaskSendParams', 'TaskStatusUpdateEvent|TaskArtifactUpdateEvent'],
  'tasks/get': ['TaskQueryParams', 'Task'],
  'tasks/cancel': ['TaskIdParams', 'Task'],
  'tasks/resubscribe': ['TaskQueryParams', 'TaskStatusUpdateEvent|TaskArtifactUpdateEvent'],
  'tasks/pushNotification/set': ['TaskPushNotificationConfig', 'TaskPushNotificationConfig'],
  'tasks/pushNotification/get': ['TaskIdParams', 'TaskPushNotificationConfig'],
};

const PLAIN = ['string', 'bytes', 'boolean', 'integer', 'timestamp', 'object', 'any'] as const;

function shapeOf(text: string): Shape {
  const plain = PLAIN.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  if (text.startsWith('[')) return { kind: 'list', item: shapeOf(text.slice(1, -1)) };
  if (text.startsWith("'")) return { kind: 'const', value: text.slice(1, -1) };
  const choices = text.split('|');
  if (choices.some((choice) => !(choice in TYPES))) return { kind: 'word', stringEnum: choices };
  const options = choices.map((name): Shape => ({ kind: 'type', name }));
  return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'union', options };
}

function memberOf([name, text]: [string, string]): Member {
  return text.endsWith('!')
    ? { name, shape: shapeOf(text.slice(0, -1)), presence: 'required' }
    : { name, shape: shapeOf(text), presence: 'optional' };
}

export const fieldsOf01: Spec = {
  types: new Map(Object.entries(TYPES).map(([type, members]) => [type, Object.entries(members).map(memberOf)])),
  calls: Object.entries(CALLS).map(([method, [input, output]]): Call => ({
    method,
    input: shapeOf(input),
    output: shapeOf(output),
  })),
};
