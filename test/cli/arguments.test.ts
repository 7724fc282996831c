import { expect, test } from 'vitest';
import { tandem, TIMEOUT_MS } from './program.ts';

test.each([
  [['sreve'], 'There is no command "sreve"; did you mean serve?'],
  [['fly'], 'There is no command "fly"; tandem --help lists them'],
  [['serve'], 'Give one file: tandem serve <file>'],
  [['serve', 'a.js', 'b.js'], 'Give one file: tandem serve <file>'],
  [['serve', 'a.js', '--prot', '1'], 'There is no option --prot; did you mean --port?'],
  [
    ['serve', 'a.js', '--tls'],
    'There is no option --tls; known are --port, --host, --store, --schema, --public-url, --token, --api-key-env, --insecure-public, --profile, --rpc-path, --log, --log-level, --metrics, --cors-origin, --push, --trust-proxy, --role, --debug, --help',
  ],
  [['serve', 'a.js', '--port'], `Option '--port <value>' argument missing`],
  [['serve', 'a.js', '--port', 'http'], '--port must be a number from 0 to 65535, not "http"'],
  [['serve', 'a.js', '--port', '65536'], '--port must be a number from 0 to 65535, not "65536"'],
  [
    ['serve', 'a.js', '--host', '0.0.0.0'],
    'At 0.0.0.0 others can reach the agent: set TANDEM_TOKEN or A2A_SECRET, or give --insecure-public for everybody',
  ],
  [
    ['serve', 'a.js', '--public-url', 'https://agent.example'],
    'At https://agent.example others can reach the agent: set TANDEM_TOKEN or A2A_SECRET, or give --insecure-public for everybody',
  ],
  [
    ['serve', 'a.js', '--trust-proxy'],
    'Through the proxy others can reach the agent: set TANDEM_TOKEN or A2A_SECRET, or give --insecure-public for everybody',
  ],
  [['serve', 'a.js', '--token', ''], '--token or TANDEM_TOKEN must be a token that a header can hold, and not empty'],
  [
    ['serve', 'a.js', '--public-url', 'example.com'],
    '--public-url must be an address that starts with http:// or https://, not example.com',
  ],
  [['serve', 'gone.js'], 'There is no file gone.js'],
  [['serve', 'README.md'], 'README.md cannot be loaded: give a file that ends in .js, .mjs, .ts, .mts'],
  [['demo', 'agent.js'], 'tandem demo takes no file; tandem serve does'],
  [['send', 'http://127.0.0.1:1'], 'Say something: tandem send [agent] <text>'],
  [
    ['send', 'http://127.0.0.1:1', '--media-type', 'text/plain'],
    '--media-type must stand after the part that it is about',
  ],
  [['send', 'http://127.0.0.1:1', '--file', 'gone.pdf'], 'The file gone.pdf cannot be read'],
  [['send', 'http://127.0.0.1:1', '--data', '{'], '--data is not JSON'],
  [['send', 'http://127.0.0.1:1', 'hi', '--metadata', '[]'], `--metadata must be an object: '{"key":"value"}'`],
  [
    ['send', 'http://127.0.0.1:1', 'hi', '--timeout', 'long'],
    '--timeout must be a time such as 30s, 500ms or 5m, not "long"',
  ],
  [['send', 'http://127.0.0.1:1', 'hi', '--taks-id', 'x'], 'There is no option --taks-id; did you mean --task-id?'],
  [['send', 'http://127.0.0.1:1', 'hi', '-o', 'xml'], '--output must be one of text, json, not "xml"'],
  [['send', 'http://127.0.0.1:1', 'hi', '--a2a-version', '2'], '--a2a-version must be 1.0, 0.3, 0.2 or 0.1, not "2"'],
  [['send', 'http://127.0.0.1:1', 'hi', '--transport', 'smtp'], '--transport must be jsonrpc or rest, not smtp'],
  [
    ['send', 'http://127.0.0.1:1', 'hi', '--svc-param', 'x'],
    '--svc-param must be a name and a value with a colon between: x-team:blue',
  ],
  [
    ['send', 'http://127.0.0.1:1', 'hi', '--config', 'gone.env'],
    'There is no file gone.env that could be read for --config',
  ],
  [['task', 'gte', 'x'], 'There is no command "task gte"; did you mean task get?'],
  [['task', 'list', 'http://127.0.0.1:1', '--status', 'workin'], 'There is no state "workin"; did you mean working?'],
  [['task', 'list', 'http://127.0.0.1:1', 'x'], '"x" is one word too many: tandem task list [agent]'],
  [
    ['task', 'list', 'http://127.0.0.1:1', '--since', 'once'],
    '--since must be a time such as 2026-03-12T10:00:00Z, not "once"',
  ],
  [['task', 'push-config', 'lst', 'http://127.0.0.1:1', 'x'], /^Say what to do: .*; did you mean list\?$/],
  [['task', 'push-config', 'set', 'http://127.0.0.1:1', 'x'], 'Say where to send the news: --url <url>'],
  [['completion', 'cmd'], 'Name a shell: tandem completion <bash|zsh|fish>'],
  [['wait', 'task1_x'], 'This is no task handle: it is cut off, or was made by something else'],
])(
  'tandem %s is wrong, and why is said in a sentence',
  async (args, sentence) => {
    const { code, stdout, stderr } = await tandem(args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tandem: .*\n$/);
    if (typeof sentence === 'string') expect(stderr).toBe(`tandem: ${sentence}\n`);
    else expect(stderr.slice('tandem: '.length, -1)).toMatch(sentence);
  },
  TIMEOUT_MS,
);

test('PORT is held to the same rules', { timeout: TIMEOUT_MS }, async () => {
  const { code, stderr } = await tandem(['demo'], { env: { PORT: 'x' } }).ended;
  expect([code, stderr]).toEqual([2, 'tandem: PORT must be a number from 0 to 65535, not "x"\n']);
});

test.each([
  [['send'], 'Name an agent: tandem send [agent] <text>'],
  [['task', 'get', 'http://127.0.0.1:1'], 'Name a task: tandem task get [agent] <task>'],
])(
  'tandem %s lacks something, and a hint says what it may be',
  async (args, sentence) => {
    const { code, stderr } = await tandem(args).ended;
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([`tandem: ${sentence}`, expect.stringMatching(/ is .+\.$/), '']);
  },
  TIMEOUT_MS,
);

test.each([
  [['--help'], /^Usage: tandem <command>$[^]*^ {2}send .*\n {2}chat [^]*^ {2}serve .*\n {2}demo /m],
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
  'tandem %s tells on stdout, and that is all',
  async (args, text) => {
    const { code, stdout, stderr } = await tandem(args).ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(text);
  },
  TIMEOUT_MS,
);
