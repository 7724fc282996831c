import type { Options } from './option.ts';

/** Of every command that talks to an agent. */
export const AGENT_OPTIONS = {
  'agent-card': {
    type: 'string',
    short: 'a',
    value: '<agent>',
    help: 'The agent: its address, that of its card, the file of a card, or the name of a peer',
    isCommon: true,
  },
  bearer: {
    type: 'string',
    value: '<token>',
    help: 'A bearer token; better in A2ACLI_BEARER, where nobody reads it',
    secret: true,
    isCommon: true,
  },
  'api-key': {
    type: 'string',
    value: '<key>',
    help: 'An API key; better in A2ACLI_API_KEY',
    secret: true,
    isCommon: true,
  },
  transport: {
    type: 'string',
    multiple: true,
    value: '<binding>',
    help: 'jsonrpc or rest, the preferred first if given twice; else what the card prefers',
    isCommon: true,
  },
  'a2a-version': {
    type: 'string',
    value: '<version>',
    help: 'Speak this version and no other: 1.0, 0.3, 0.2 or 0.1',
    isCommon: true,
  },
  endpoint: { type: 'string', value: '<url>', help: 'Send requests there, whatever the card says', isCommon: true },
  'allow-origin': {
    type: 'string',
    multiple: true,
    value: '<url>',
    help: 'Trust this origin as the one you named: it may be private, and gets credentials',
    isCommon: true,
  },
  'svc-param': {
    type: 'string',
    multiple: true,
    value: '<name:value>',
    help: 'Send this header with every request',
    secret: true,
    isCommon: true,
  },
  timeout: { type: 'string', value: '<time>', help: 'Give up after 30s, 500ms, 5m …', isCommon: true },
  output: { type: 'string', short: 'o', value: '<text|json>', help: 'How to print what was asked for', isCommon: true },
  verbose: { type: 'boolean', help: 'Tell which interface is used, and what is odd about the agent', isCommon: true },
  insecure: { type: 'boolean', help: 'Do not check certificates; for development only', isCommon: true },
  peers: { type: 'string', value: '<file>', help: 'Where the names of peers are looked up', isCommon: true },
  config: {
    type: 'string',
    value: '<file>',
    help: 'Read settings from this .env file instead of the nearest one',
    flagOnly: true,
    isCommon: true,
  },
} as const satisfies Options;

export type AgentOptions = typeof AGENT_OPTIONS;
