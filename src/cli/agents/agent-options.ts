import type { Options } from '../option.ts';

/** The options of every command that calls an agent. */
export const AGENT_OPTIONS = {
  'agent-card': {
    type: 'string',
    short: 'a',
    value: '<agent>',
    help: 'The agent: its URL, the URL of its card, a card file, or the name of a peer',
    isCommon: true,
  },
  bearer: {
    type: 'string',
    value: '<token>',
    help: 'Bearer token. A2ACLI_BEARER keeps it out of the process list',
    secret: true,
    isCommon: true,
  },
  'api-key': {
    type: 'string',
    value: '<key>',
    help: 'API key. A2ACLI_API_KEY keeps it out of the process list',
    secret: true,
    isCommon: true,
  },
  transport: {
    type: 'string',
    multiple: true,
    value: '<binding>',
    help: 'jsonrpc or rest; repeat it in order of preference. Default: the preference of the card',
    isCommon: true,
  },
  'a2a-version': {
    type: 'string',
    value: '<version>',
    help: 'Use only this A2A version: 1.0, 0.3, 0.2 or 0.1',
    isCommon: true,
  },
  endpoint: {
    type: 'string',
    value: '<url>',
    help: 'Send requests to this URL instead of the URL of the card',
    isCommon: true,
  },
  'allow-origin': {
    type: 'string',
    multiple: true,
    value: '<url>',
    help: 'Also trust this origin: it can be a private address, and receives credentials',
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
  timeout: {
    type: 'string',
    value: '<time>',
    help: 'Time limit of the whole command: 30s, 500ms, 5m …',
    isCommon: true,
  },
  output: { type: 'string', short: 'o', value: '<text|json>', help: 'Output format', isCommon: true },
  verbose: {
    type: 'boolean',
    help: 'Print the interface that is used, and deviations of the agent from A2A',
    isCommon: true,
  },
  insecure: { type: 'boolean', help: 'Do not verify TLS certificates; for development only', isCommon: true },
  peers: { type: 'string', value: '<file>', help: 'The file with the names of peers', isCommon: true },
  config: {
    type: 'string',
    value: '<file>',
    help: 'Read settings from this .env file instead of the nearest one',
    flagOnly: true,
    isCommon: true,
  },
} as const satisfies Options;

export type AgentOptions = typeof AGENT_OPTIONS;
