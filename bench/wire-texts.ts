/**
 * One typical SendMessage in each dialect: a text, a small file and some data, with metadata and a configuration.
 * Without the JSON-RPC envelope, which is the same for all and would only improve the ratio.
 */

const MESSAGE_ID = '7d2c9f4e-0a51-4b7b-9a43-5f0c8e1d6b20';
const CONTEXT_ID = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
const TASK_ID = 'c6f2a1d4-5a0e-4c8b-8a38-2f7f0b4d9e31';

const TEXT = 'Please check the attached invoice against our order, and tell me about every position that differs.';
const NAME = 'invoice-2026-118.pdf';
const TYPE = 'application/pdf';
const BYTES =
  'JVBERi0xLjcKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoKMiAwIG9iago8PC9UeXBlL1BhZ2VzPj4K';
const DATA = {
  order: 'PO-4711',
  currency: 'EUR',
  net: 1249.5,
  positions: [
    { sku: 'A-17', count: 3 },
    { sku: 'B-02', count: 12 },
  ],
};
const MESSAGE_METADATA = { source: 'mail', priority: 2, urgent: false };
const METADATA = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
const MODES = ['text/plain', 'application/json'];

const kindForm = {
  message: {
    kind: 'message',
    messageId: MESSAGE_ID,
    contextId: CONTEXT_ID,
    role: 'user',
    parts: [
      { kind: 'text', text: TEXT },
      { kind: 'file', file: { bytes: BYTES, name: NAME, mimeType: TYPE } },
      { kind: 'data', data: DATA },
    ],
    metadata: MESSAGE_METADATA,
  },
  configuration: { acceptedOutputModes: MODES, historyLength: 10, blocking: false },
  metadata: METADATA,
};

const texts = {
  v1: {
    message: {
      messageId: MESSAGE_ID,
      contextId: CONTEXT_ID,
      role: 'ROLE_USER',
      parts: [{ text: TEXT }, { raw: BYTES, filename: NAME, mediaType: TYPE }, { data: DATA }],
      metadata: MESSAGE_METADATA,
    },
    configuration: { acceptedOutputModes: MODES, historyLength: 10, returnImmediately: true },
    metadata: METADATA,
  },
  v03: kindForm,
  'v03-proto': {
    message: {
      messageId: MESSAGE_ID,
      contextId: CONTEXT_ID,
      role: 'ROLE_USER',
      content: [
        { text: TEXT },
        { file: { fileWithBytes: BYTES, mimeType: TYPE, name: NAME } },
        { data: { data: DATA } },
      ],
      metadata: MESSAGE_METADATA,
    },
    configuration: { acceptedOutputModes: MODES, historyLength: 10, blocking: false },
    metadata: METADATA,
  },
  // The same as in 0.3, because the changes between the versions do not affect this message.
  v02: kindForm,
  v01: {
    id: TASK_ID,
    sessionId: CONTEXT_ID,
    message: {
      role: 'user',
      parts: [
        { type: 'text', text: TEXT },
        { type: 'file', file: { bytes: BYTES, name: NAME, mimeType: TYPE } },
        { type: 'data', data: DATA },
      ],
      metadata: MESSAGE_METADATA,
    },
    historyLength: 10,
    metadata: METADATA,
  },
};

/** The text of the message by the name of the dialect. */
export const WIRE_TEXTS: readonly { readonly dialect: keyof typeof texts; readonly text: string }[] = [
  { dialect: 'v1', text: JSON.stringify(texts.v1) },
  { dialect: 'v03', text: JSON.stringify(texts.v03) },
  { dialect: 'v03-proto', text: JSON.stringify(texts['v03-proto']) },
  { dialect: 'v02', text: JSON.stringify(texts.v02) },
  { dialect: 'v01', text: JSON.stringify(texts.v01) },
];
