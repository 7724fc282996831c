import fc from 'fast-check';
import type { Artifact } from '../../src/model/artifact.ts';
import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../src/model/event.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import type { Message, Role } from '../../src/model/message.ts';
import type { SendMessageConfiguration, SendMessageRequest } from '../../src/model/operation.ts';
import type { Part } from '../../src/model/part.ts';
import type { AuthenticationInfo, TaskPushNotificationConfig } from '../../src/model/push.ts';
import { TASK_STATES, type TaskState } from '../../src/model/state.ts';
import type { Task, TaskStatus } from '../../src/model/task.ts';

/**
 * Random values of the model in their canonical form, as 1.0 decoders return them: optional members are absent rather than
 * empty, base64 is standard, times are UTC with milliseconds. Free data is any JSON.
 */

/** Text of any kind: empty, printable, or any code points, control characters and emoji included. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', 'null', '0', 'Größe €', '日本語', '👩‍👩‍👧', '\u0000\u2028\n"\\'),
);

/** Text in a place where empty means absent. */
const arbitraryName: fc.Arbitrary<string> = arbitraryText.filter((text) => text !== '');

/** Ids for paths and resource names: no slash, no percent sign. */
export const arbitraryId: fc.Arbitrary<string> = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:~@é-]{0,20}$/),
);

const arbitraryNumber: fc.Arbitrary<number> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
  fc.constantFrom(0, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 64, -1e-7),
);

const { json, object } = fc.letrec<{ json: JsonValue; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue[]>(null, true, false, [], {}),
    arbitraryText,
    arbitraryNumber,
    fc.array(tie('json'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.oneof(arbitraryText, fc.constantFrom('__proto__', 'constructor', 'kind', 'value', 'text')),
    tie('json'),
    { maxKeys: 3, noNullPrototype: true },
  ),
}));

/** Any JSON value. */
export const arbitraryJson: fc.Arbitrary<JsonValue> = json;

/** Any JSON object, as in metadata. Keys that begin with `a2a:` are reserved and do not occur. */
export const arbitraryStruct: fc.Arbitrary<JsonObject> = object;

const arbitraryBase64: fc.Arbitrary<string> = fc
  .uint8Array({ maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));

export const arbitraryTimestamp: fc.Arbitrary<string> = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());

const names = fc.array(arbitraryName, { minLength: 1, maxLength: 3 });
const ids = fc.array(arbitraryId, { minLength: 1, maxLength: 3 });

/** An object with all of the needed members and any of the others. */
function recordOf<T extends object, U extends object>(
  needed: { [K in keyof T]: fc.Arbitrary<T[K]> },
  others: { [K in keyof U]: fc.Arbitrary<U[K]> },
): fc.Arbitrary<T & Partial<U>> {
  const requiredKeys = Object.keys(needed) as (keyof T & keyof U)[];
  const options = { requiredKeys, noNullPrototype: true };
  return fc.record({ ...needed, ...others }, options) as fc.Arbitrary<T & Partial<U>>;
}

const partMembers = {
  metadata: arbitraryStruct,
  filename: arbitraryName,
  mediaType: arbitraryName,
};

const arbitraryPart: fc.Arbitrary<Part> = fc.oneof(
  recordOf({ text: arbitraryText }, partMembers),
  recordOf({ raw: arbitraryBase64 }, partMembers),
  recordOf({ url: arbitraryName }, partMembers),
  recordOf({ data: arbitraryJson }, partMembers),
);

const parts = fc.array(arbitraryPart, { minLength: 1, maxLength: 3 });

function messageFrom(role: fc.Arbitrary<Role>): fc.Arbitrary<Message> {
  return recordOf(
    { messageId: arbitraryId, role, parts },
    {
      contextId: arbitraryId,
      taskId: arbitraryId,
      metadata: arbitraryStruct,
      extensions: names,
      referenceTaskIds: ids,
    },
  );
}

const arbitraryMessage: fc.Arbitrary<Message> = messageFrom(fc.constantFrom('ROLE_USER', 'ROLE_AGENT'));

const arbitraryArtifact: fc.Arbitrary<Artifact> = recordOf(
  { artifactId: arbitraryId, parts },
  { name: arbitraryName, description: arbitraryName, metadata: arbitraryStruct, extensions: names },
);

const arbitraryState: fc.Arbitrary<TaskState> = fc.constantFrom(
  ...TASK_STATES.filter((state) => state !== 'TASK_STATE_UNSPECIFIED'),
);

const arbitraryStatus: fc.Arbitrary<TaskStatus> = recordOf(
  { state: arbitraryState },
  { message: arbitraryMessage, timestamp: arbitraryTimestamp },
);

export const arbitraryTask: fc.Arbitrary<Task> = recordOf(
  { id: arbitraryId, contextId: arbitraryId, status: arbitraryStatus },
  {
    artifacts: fc.array(arbitraryArtifact, { minLength: 1, maxLength: 3 }),
    history: fc.array(arbitraryMessage, { minLength: 1, maxLength: 3 }),
    metadata: arbitraryStruct,
  },
);

const arbitraryStatusUpdate: fc.Arbitrary<TaskStatusUpdateEvent> = recordOf(
  { taskId: arbitraryId, contextId: arbitraryId, status: arbitraryStatus },
  { metadata: arbitraryStruct },
);

const arbitraryArtifactUpdate: fc.Arbitrary<TaskArtifactUpdateEvent> = recordOf(
  { taskId: arbitraryId, contextId: arbitraryId, artifact: arbitraryArtifact },
  { append: fc.constant(true), lastChunk: fc.constant(true), metadata: arbitraryStruct },
);

/** An item of a stream. An item without `statusUpdate` and `artifactUpdate` is also a response to a send. */
export const arbitraryStreamResponse: fc.Arbitrary<StreamResponse> = fc.oneof(
  recordOf({ task: arbitraryTask }, {}),
  recordOf({ message: arbitraryMessage }, {}),
  recordOf({ statusUpdate: arbitraryStatusUpdate }, {}),
  recordOf({ artifactUpdate: arbitraryArtifactUpdate }, {}),
);

const arbitraryAuthentication: fc.Arbitrary<AuthenticationInfo> = recordOf(
  { scheme: fc.oneof(fc.constantFrom('Bearer', 'Basic'), arbitraryName) },
  { credentials: arbitraryName },
);

const pushMembers = { token: arbitraryName, authentication: arbitraryAuthentication };

/** A config with its task and its own id. */
export const arbitraryPushConfig: fc.Arbitrary<TaskPushNotificationConfig> = recordOf(
  { taskId: arbitraryId, id: arbitraryId, url: arbitraryName },
  { tenant: arbitraryId, ...pushMembers },
);

/** A config inside a send, where no task exists yet. */
const arbitraryInlinePushConfig: fc.Arbitrary<TaskPushNotificationConfig> = recordOf(
  { url: arbitraryName },
  { id: arbitraryId, ...pushMembers },
);

const arbitraryConfiguration: fc.Arbitrary<SendMessageConfiguration> = recordOf(
  {},
  {
    acceptedOutputModes: names,
    taskPushNotificationConfig: arbitraryInlinePushConfig,
    historyLength: fc.nat({ max: 2 ** 31 - 1 }),
    returnImmediately: fc.constant(true),
  },
);

export const arbitrarySendMessageRequest: fc.Arbitrary<SendMessageRequest> = recordOf(
  { message: messageFrom(fc.constant('ROLE_USER')) },
  { tenant: arbitraryId, configuration: arbitraryConfiguration, metadata: arbitraryStruct },
);
