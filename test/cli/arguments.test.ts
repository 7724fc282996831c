import { expect, test } from 'vitest';
import { tandem, TIMEOUT_MS } from './program.ts';

test.each([
  [['sreve'], 'There is no command "sreve"; did you mean serve?'],
  [['fly'], 'There is no command "fly"; tandem --help lists them'],
  [['serve'], 'Give one file: tandem serve <file>'],
  [['serve', 'a.js', 'b.js'], 'Give one file: tandem serve <file>'],
  [['serve', 'a.js', '--prot', '1'], 'There is no option --prot; did you mean --port?'],
  [['serve', 'a.js', '--tls'], 'There is no option --tls; known are --port, --host, --store, --public-url'],
  [['serve', 'a.js', '--port'], `Option '--port <value>' argument missing`],
  [['serve', 'a.js', '--port', 'http'], '--port must be a number from 0 to 65535, not "http"'],
  [['serve', 'a.js', '--port', '65536'], '--port must be a number from 0 to 65535, not "65536"'],
  [['serve', 'a.js', '--host', '0.0.0.0'], '--host must be of this machine, 127.0.0.1, ::1 or localhost, not 0.0.0.0'],
  [
    ['serve', 'a.js', '--public-url', 'example.com'],
    '--public-url must be an address that starts with http:// or https://, not example.com',
  ],
  [['serve', 'gone.js'], 'There is no file gone.js'],
  [['serve', 'README.md'], 'README.md cannot be loaded: give a file that ends in .js, .mjs, .ts, .mts'],
  [['demo', 'agent.js'], 'tandem demo takes no file; tandem serve does'],
  [['send', 'http://127.0.0.1:1'], 'Give both: tandem send <url> <text>'],
  [['send', 'localhost:1', 'hi'], '<url> must be an address that starts with http:// or https://, not localhost:1'],
  [['send', 'http://127.0.0.1:1', 'hi', '--timeout', 'long'], '--timeout must be a number of seconds'],
  [['send', 'http://127.0.0.1:1', 'hi', '--tsak', 'x'], 'There is no option --tsak; did you mean --task?'],
])(
  'tandem %s is wrong, and why is said in a sentence',
  async (args, sentence) => {
    const { code, stdout, stderr } = await tandem(args).ended;
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `tandem: ${sentence}\n` });
  },
  TIMEOUT_MS,
);

test('PORT is held to the same rules', { timeout: TIMEOUT_MS }, async () => {
  const { code, stderr } = await tandem(['demo'], { env: { PORT: 'x' } }).ended;
  expect([code, stderr]).toEqual([2, 'tandem: PORT must be a number from 0 to 65535, not "x"\n']);
});

test.each([
  [['--help'], /^Usage: tandem <command>$[^]*^ {2}serve .*\n {2}demo .*\n {2}send /m],
  [[], /^Usage: tandem <command>$/m],
  [['serve', '--help'], /^Usage: tandem serve <file>/],
  [['demo', '-h'], /^Usage: tandem demo/],
  [['send', '--help'], /^Usage: tandem send <url> <text>/],
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
