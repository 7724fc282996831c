import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { type Call, type Member, membersOf, type Shape, type Spec } from './shape.ts';

/** Parses the JSON schema of a version before 1.0, and derives the methods from its request types. */
export function parseJsonSchema(text: string): Spec {
  const { definitions } = JSON.parse(text) as { readonly definitions: Readonly<Record<string, JsonObject>> };
  const named = new Map<string, Shape>();
  const types = new Map<string, readonly Member[]>([['NoParams', []]]);

  function shapeOf(schema: JsonObject): Shape {
    const { $ref, anyOf, enum: stringEnum, type } = schema;
    if (typeof $ref === 'string') return reference($ref.replace('#/definitions/', ''));
    if (Array.isArray(anyOf)) return { kind: 'union', options: (anyOf as readonly JsonObject[]).map(shapeOf) };
    if (typeof schema['const'] === 'string') return { kind: 'const', value: schema['const'] };
    if (Array.isArray(stringEnum)) return { kind: 'word', stringEnum: stringEnum as readonly string[] };
    if (type === 'array') return { kind: 'list', item: shapeOf(schema['items'] as JsonObject) };
    if (type === 'object') {
      const item = schema['additionalProperties'] as JsonObject;
      return Object.keys(item).length === 0 ? { kind: 'object' } : { kind: 'map', item: shapeOf(item) };
    }
    return plain(type);
  }

  function reference(name: string): Shape {
    const known = named.get(name);
    if (known !== undefined) return known;
    const schema = definitions[name] ?? {};
    if (schema['properties'] === undefined) return shapeOf(schema);
    const shape: Shape = { kind: 'type', name };
    named.set(name, shape);
    const required = (schema['required'] ?? []) as readonly string[];
    types.set(
      name,
      Object.entries(schema['properties'] as Readonly<Record<string, JsonObject>>).map(([member, content]) => ({
        name: member,
        shape: shapeOf(content),
        presence: required.includes(member) ? 'required' : 'optional',
      })),
    );
    return shape;
  }

  for (const name of Object.keys(definitions)) reference(name);
  const requests = shapeOf({ $ref: '#/definitions/A2ARequest' });
  const options = requests.kind === 'union' ? requests.options : [];
  const calls = options.flatMap((option) => (option.kind === 'type' ? callOf({ types, calls: [] }, option.name) : []));
  return { types, calls };
}

const NO_PARAMS: Shape = { kind: 'type', name: 'NoParams' };

function plain(type: JsonValue | undefined): Shape {
  // Only JSON-RPC ids can have several types.
  const [only] = Array.isArray(type) ? (type as readonly string[]) : [type];
  switch (only) {
    case 'string':
    case 'boolean':
    case 'integer':
    case 'null':
      return { kind: only };
    case undefined:
      return { kind: 'any' };
    default:
      throw new Error(`a type of JSON schema that these files do not use: ${JSON.stringify(type)}`);
  }
}

/** `GetTaskRequest` has the method and its params, `GetTaskSuccessResponse` the result. */
function callOf(spec: Spec, request: string): Call {
  const member = (type: string, name: string): Shape | undefined =>
    membersOf(spec, type).find((each) => each.name === name)?.shape;
  const method = member(request, 'method');
  const output = member(
    request.replace(/Request$/, 'SuccessResponse').replace('TaskResubscription', 'SendStreamingMessage'),
    'result',
  );
  if (method?.kind !== 'const' || output === undefined) throw new Error(`${request} is no request`);
  return { method: method.value, input: member(request, 'params') ?? NO_PARAMS, output };
}
