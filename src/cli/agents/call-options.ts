import type { Options } from '../option.ts';

/** The options of every command that calls an agent. */
export const CALL_OPTIONS = {
  'agent-card': {
    short: 'a',
    value: '<agent>',
    help: 'The agent: its URL, the URL of its card, a card file, or the name of a peer',
  },
  bearer: { value: '<token>', help: 'Bearer token. A2ACLI_BEARER keeps it out of the process list', secret: true },
  'api-key': { value: '<key>', help: 'API key. A2ACLI_API_KEY keeps it out of the process list', secret: true },
  transport: {
    multiple: true,
    value: '<binding>',
    help: 'jsonrpc or rest; repeat it in order of preference. Default: the preference of the card',
  },
  'a2a-version': { value: '<version>', help: 'Use only this A2A version: 1.0, 0.3, 0.2 or 0.1' },
  endpoint: { value: '<url>', help: 'Send requests to this URL instead of the URL of the card' },
  'allow-origin': {
    multiple: true,
    value: '<url>',
    help: 'Also trust this origin: it can be a private address, and receives credentials',
  },
  'svc-param': { multiple: true, value: '<name:value>', help: 'Send this header with every request', secret: true },
  timeout: { value: '<time>', help: 'Time limit of the whole command: 30s, 500ms, 5m …' },
  output: { short: 'o', value: '<text|json>', help: 'Output format' },
  verbose: { help: 'Print the interface that is used, and deviations of the agent from A2A' },
  insecure: { help: 'Do not verify TLS certificates; for development only' },
  peers: { value: '<file>', help: 'The file with the names of peers' },
  config: { value: '<file>', help: 'Read settings from this .env file instead of the nearest one', flagOnly: true },
} as const satisfies Options;

export type CallOptions = typeof CALL_OPTIONS;
