import { expect, test } from 'vitest';
import { tandem, TIMEOUT_MS } from './program.ts';

test.each([
  [['sreve'], 'Unknown command "sreve"; did you mean serve?'],
  [['fly'], 'Unknown command "fly"; run tandem --help for all commands'],
  [['serve'], 'Pass a file: tandem serve <file>'],
  [['serve', 'a.js', '--prot', '1'], 'Unknown option --prot; did you mean --port?'],
  [
    ['serve', 'a.js', '--tls'],
    'Unknown option --tls; known options: --port, --host, --store, --schema, --public-url, --token, --api-key-env, --insecure-public, --profile, --rpc-path, --log, --log-level, --metrics, --cors-origin, --push, --trust-proxy, --role, --debug, --help',
  ],
  [['serve', 'a.js', '--port'], `Option '--port <value>' argument missing`],
  [['serve', 'a.js', '--port', 'http'], '--port must be a number from 0 to 65535, not "http"'],
  [['serve', 'a.js', '--port', '65536'], '--port must be a number from 0 to 65535, not "65536"'],
  [
    ['serve', 'a.js', '--host', '0.0.0.0'],
    'Other machines can reach the agent at 0.0.0.0: set TANDEM_TOKEN or A2A_SECRET, or pass --insecure-public to accept anonymous callers',
  ],
  [
    ['serve', 'a.js', '--public-url', 'https://agent.example'],
    'Other machines can reach the agent at https://agent.example: set TANDEM_TOKEN or A2A_SECRET, or pass --insecure-public to accept anonymous callers',
  ],
  [
    ['serve', 'a.js', '--trust-proxy'],
    'Other machines can reach the agent through the proxy: set TANDEM_TOKEN or A2A_SECRET, or pass --insecure-public to accept anonymous callers',
  ],
  [
    ['serve', 'a.js', '--token', ''],
    '--token or TANDEM_TOKEN must not be empty, and must contain only characters that an HTTP header can hold',
  ],
  [
    ['serve', 'a.js', '--public-url', 'example.com'],
    '--public-url must be a URL that starts with http:// or https://, not example.com',
  ],
  [['serve', 'gone.js'], 'File gone.js does not exist'],
  [['serve', 'README.md'], 'README.md cannot be loaded: the file name must end in .js, .mjs, .ts, .mts'],
  [['demo', 'agent.js'], 'tandem demo takes no file. To serve your own agent: tandem serve <file>'],
  [['send', 'http://127.0.0.1:1'], 'The message is empty. Usage: tandem send [agent] <text>'],
  [['send', 'http://127.0.0.1:1', '--media-type', 'text/plain'], '--media-type must follow the part that it describes'],
  [['send', 'http://127.0.0.1:1', '--file', 'gone.pdf'], 'File gone.pdf cannot be read'],
  [['send', 'http://127.0.0.1:1', '--data', '{'], '--data is not valid JSON'],
  [['send', 'http://127.0.0.1:1', 'hi', '--metadata', '[]'], `--metadata must be a JSON object: '{"key":"value"}'`],
  [
    ['send', 'http://127.0.0.1:1', 'hi', '--timeout', 'long'],
    '--timeout must be a time such as 30s, 500ms or 5m, not "long"',
  ],
  [['send', 'http://127.0.0.1:1', 'hi', '--taks-id', 'x'], 'Unknown option --taks-id; did you mean --task-id?'],
  [['send', 'http://127.0.0.1:1', 'hi', '-o', 'xml'], '--output must be one of text, json, not "xml"'],
  [['send', 'http://127.0.0.1:1', 'hi', '--a2a-version', '2'], '--a2a-version must be 1.0, 0.3, 0.2 or 0.1, not "2"'],
  [['send', 'http://127.0.0.1:1', 'hi', '--transport', 'smtp'], '--transport must be jsonrpc or rest, not smtp'],
  [
    ['send', 'http://127.0.0.1:1', 'hi', '--svc-param', 'x'],
    '--svc-param must be a name and a value separated by a colon, such as x-team:blue',
  ],
  [
    ['send', 'http://127.0.0.1:1', 'hi', '--config', 'gone.env'],
    'The file gone.env of --config does not exist or cannot be read',
  ],
  [['task', 'gte', 'x'], 'Unknown command "task gte"; did you mean task get?'],
  [['task', 'list', 'http://127.0.0.1:1', '--status', 'workin'], 'Unknown state "workin"; did you mean working?'],
  [['task', 'list', 'http://127.0.0.1:1', 'x'], 'Unexpected argument "x". Usage: tandem task list [agent]'],
  [
    ['task', 'list', 'http://127.0.0.1:1', '--since', 'once'],
    '--since must be a time such as 2026-03-12T10:00:00Z, not "once"',
  ],
  [
    ['task', 'push-config', 'lst', 'http://127.0.0.1:1', 'x'],
    /^Choose set, get, list or delete: .*; did you mean list\?$/,
  ],
  [['task', 'push-config', 'set', 'http://127.0.0.1:1', 'x'], 'Pass the URL of the webhook: --url <url>'],
  [['completion', 'cmd'], 'Pass a shell: tandem completion <bash|zsh|fish>'],
  [['wait', 'task1_x'], 'Invalid task handle: it is truncated or was not created by this library'],
])(
  'tandem %s fails with one sentence that names the mistake',
  async (args, sentence) => {
    const { code, stdout, stderr } = await tandem(args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tandem: .*\n$/);
    if (typeof sentence === 'string') expect(stderr).toBe(`tandem: ${sentence}\n`);
    else expect(stderr.slice('tandem: '.length, -1)).toMatch(sentence);
  },
  TIMEOUT_MS,
);

test('an invalid PORT fails like an invalid --port', { timeout: TIMEOUT_MS }, async () => {
  const { code, stderr } = await tandem(['demo'], { env: { PORT: 'x' } }).ended;
  expect([code, stderr]).toEqual([2, 'tandem: PORT must be a number from 0 to 65535, not "x"\n']);
});

test.each([
  [['send'], 'Pass an agent: tandem send [agent] <text>'],
  [['wait'], 'Pass a task: tandem wait <handle>'],
  [['task', 'get', 'http://127.0.0.1:1'], 'Pass a task: tandem task get [agent] <task>'],
])(
  'tandem %s fails with a hint that explains the missing argument',
  async (args, sentence) => {
    const { code, stderr } = await tandem(args).ended;
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([`tandem: ${sentence}`, expect.stringMatching(/ is .+\.$/), '']);
  },
  TIMEOUT_MS,
);

test.each([
  [['--help'], /^Usage: tandem <command>$[^]*^ {2}send .*\n {2}chat [^]*^ {2}serve .*\n {2}dev .*\n {2}demo /m],
  [[], /^Usage: tandem <command>$/m],
  [['help'], /^Usage: tandem <command>$/m],
  [['help', 'task', 'get'], /^Usage: tandem task get \[agent\] <task>/],
  [['task'], /^tandem task get .*\ntandem task list /],
  [['serve', '--help'], /^Usage: tandem serve <file>/],
  [['demo', '-h'], /^Usage: tandem demo/],
  [['discover', '-h'], /^Usage: tandem card get/],
  [['send', '--help'], /^Usage: tandem send \[agent\] <text>/],
  [['--version'], /^\d+\.\d+\.\d+\n$/],
])(
  'tandem %s prints help on stdout and nothing on stderr',
  async (args, text) => {
    const { code, stdout, stderr } = await tandem(args).ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(text);
  },
  TIMEOUT_MS,
);
