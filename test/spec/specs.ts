import { readFileSync } from 'node:fs';
import { fieldsOf01 } from './a2a-v0.1.fields.ts';
import { parseJsonSchema } from './json-schema.ts';
import { parseProto } from './proto-file.ts';
import { type Member, type Spec, typeNamed, withMembers, withPresence } from './shape.ts';

function read(file: string): string {
  return readFileSync(new URL(`normative/${file}`, import.meta.url), 'utf8');
}

/** 1.0, whose format is the model. Some members lack the mark REQUIRED, but the model always has them. */
export const spec10: Spec = withPresence(parseProto(read('a2a-v1.0.proto')), 'required', [
  'AgentExtension.uri',
  'SecurityRequirement.schemes',
  'TaskPushNotificationConfig.taskId',
]);

const spec03: Spec = parseJsonSchema(read('a2a-v0.3.schema.json'));

/** The wrappers of 0.3 REST responses, for dialects with the objects of the schema. */
function wrapper(...members: readonly (readonly [name: string, type: string])[]): readonly Member[] {
  return members.map(([name, type]) => ({ name, shape: typeNamed(type), presence: 'optional', oneOf: 'payload' }));
}

const spec03Wrapped: Spec = withMembers(spec03, {
  Sent: wrapper(['task', 'Task'], ['message', 'Message']),
  Streamed: wrapper(
    ['task', 'Task'],
    ['message', 'Message'],
    ['statusUpdate', 'TaskStatusUpdateEvent'],
    ['artifactUpdate', 'TaskArtifactUpdateEvent'],
  ),
});

/** The 0.3 SDKs add these three to the protocol definition, and without them data would be lost. */
const spec03Proto: Spec = withMembers(parseProto(read('a2a-v0.3.proto')), {
  Part: [{ name: 'metadata', shape: { kind: 'object' }, presence: 'optional' }],
  FilePart: [{ name: 'name', shape: { kind: 'string' }, presence: 'defaulted' }],
  AgentCard: [{ name: 'iconUrl', shape: { kind: 'string' }, presence: 'defaulted' }],
});

/** The specifications of the dialects other than 1.0, from the normative files. */
export const SPECS = {
  v03: spec03,
  'v03-proto': spec03Proto,
  'v03-kind': {
    ...spec03Wrapped,
    calls: spec03.calls.map((call) => {
      if (call.method === 'message/send') return { ...call, output: typeNamed('Sent') };
      const streams = call.method === 'message/stream' || call.method === 'tasks/resubscribe';
      return streams ? { ...call, output: typeNamed('Streamed') } : call;
    }),
  },
  v02: parseJsonSchema(read('a2a-v0.2.6.schema.json')),
  v01: fieldsOf01,
} as const satisfies Record<string, Spec>;
