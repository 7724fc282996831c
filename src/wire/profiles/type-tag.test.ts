import { expect, test } from 'vitest';
import type { FieldViolation } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { decodeParams, decodeResult, operationCodec } from '../dialect.ts';
import type { DecodeOptions } from '../decoder.ts';
import { v03 } from '../v03/index.ts';
import { typeTag } from './parts.ts';

const repairs = typeTag.repairs ?? [];

function send(parts: readonly JsonObject[], options: DecodeOptions = { repairs }) {
  const message = { kind: 'message', messageId: 'm1', role: 'user', parts };
  return decodeParams(v03, 'SendMessage', { message }, options);
}

const warning = (code: string, field: string, description: string) => ({ code, field, description });
const typed = (field: string) => warning('part-type-tag', field, "expected the member kind; read 'type' instead");
const untagged = (field: string) =>
  warning('part-tag-missing', field, 'expected the member kind; inferred it from the content');

/** The message in agent-native's documentation, with valid bytes. */
const PARTS = [
  { type: 'text', text: 'Show signups by source' },
  { type: 'data', data: { dateRange: 'last-30d' } },
  { type: 'file', file: { name: 'report.csv', mimeType: 'text/csv', bytes: 'YSxiCg==' } },
];
const MODEL: readonly Part[] = [
  { text: 'Show signups by source' },
  { data: { dateRange: 'last-30d' } },
  { raw: 'YSxiCg==', filename: 'report.csv', mediaType: 'text/csv' },
];

test('parts tagged with type are decoded', () => {
  const { value, warnings } = send(PARTS);
  expect(value.message.parts).toEqual(MODEL);
  expect(warnings).toEqual([0, 1, 2].map((i) => typed(`message.parts[${i}]`)));
});

test('parts without a tag are recognised by their content', () => {
  const { value, warnings } = send(PARTS.map(({ type: _, ...part }) => part));
  expect(value.message.parts).toEqual(MODEL);
  expect(warnings).toEqual([0, 1, 2].map((i) => untagged(`message.parts[${i}]`)));
});

test('files in the 1.0 format are recognised by their content', () => {
  const files = [
    { raw: 'YSxiCg==', filename: 'report.csv', mediaType: 'text/csv' },
    { url: 'https://files.example/1', metadata: { page: 1 } },
  ];
  const { value, warnings } = send(files);
  expect(value.message.parts).toEqual(files);
  expect(warnings).toEqual([0, 1].map((i) => untagged(`message.parts[${i}]`)));
});

test('the stream example of the 0.2 specification is decoded', () => {
  const artifact = { artifactId: '9b6934dd', parts: [{ type: 'text', text: '<section 1...>', metadata: { page: 1 } }] };
  const json = {
    taskId: '225d6247',
    contextId: '05217e44',
    artifact,
    append: false,
    lastChunk: false,
    kind: 'artifact-update',
  };
  const { value, warnings } = decodeResult(v03, 'SendStreamingMessage', json, { repairs });
  expect(value).toMatchObject({
    artifactUpdate: { artifact: { parts: [{ text: '<section 1...>', metadata: { page: 1 } }] } },
  });
  expect(warnings).toEqual([typed('artifact.parts[0]')]);
});

test('the tag kind takes precedence over type', () => {
  const { value, warnings } = send([{ kind: 'text', type: 'data', text: 'hi' }]);
  expect(value.message.parts).toEqual([{ text: 'hi' }]);
  expect(warnings).toEqual([]);
});

const KINDS = "expected 'text', 'file' or 'data'";

test.each<[string, JsonObject, FieldViolation]>([
  ['an unknown type', { type: 'image', text: 'hi' }, { field: 'message.parts[0].kind', description: KINDS }],
  ['a type that is not a string', { type: 1, text: 'hi' }, { field: 'message.parts[0].kind', description: KINDS }],
  ['no member that identifies it', { metadata: {} }, { field: 'message.parts[0].kind', description: KINDS }],
  ['a text that is not a string', { text: 7 }, { field: 'message.parts[0].kind', description: KINDS }],
  [
    'a type with the wrong content',
    { type: 'text', data: {} },
    { field: 'message.parts[0].text', description: 'expected a string' },
  ],
])('a part with %s is rejected', (_case, part, violation) => {
  expect(() => send([part])).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS', violations: [violation] }));
});

test('strict decoding rejects parts tagged with type and parts without a tag', () => {
  expect(() => send([{ type: 'text', text: 'hi' }, { text: 'hi' }], { repairs, strict: true })).toThrow(
    expect.objectContaining({
      violations: [
        { field: 'message.parts[0].kind', description: KINDS },
        { field: 'message.parts[1].kind', description: KINDS },
      ],
    }),
  );
});

test('an agent mounted with this profile tags the parts of its responses with type', () => {
  const dialect = typeTag.forServer?.(v03) ?? v03;
  const status = {
    state: 'TASK_STATE_COMPLETED',
    message: { messageId: 'm2', role: 'ROLE_AGENT', parts: MODEL },
  } as const;
  const task = { id: 't1', contextId: 'c1', status };
  expect(operationCodec(dialect, 'SendMessage').result.encode({ task })).toMatchObject({
    kind: 'task',
    status: { message: { kind: 'message', parts: PARTS } },
  });
  const [item] = dialect
    .createStreamEncoder()
    .encode({ statusUpdate: { taskId: 't1', contextId: 'c1', status } }, true);
  expect(item).toMatchObject({ kind: 'status-update', final: true, status: { message: { parts: PARTS } } });
  expect(JSON.stringify(item)).not.toContain('"kind":"text"');
});
