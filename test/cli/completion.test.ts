import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paste, projectWith, tandem, TIMEOUT_MS } from './program.ts';

const PEERS = { clerk: 'http://127.0.0.1:1', billing: 'https://billing.example' };

test.each([
  ['tandem ', ['send', 'task', 'doctor', 'help']],
  ['tandem ta', ['task']],
  ['tandem task ', ['get', 'list', 'push-config']],
  ['tandem task s', ['subscribe']],
  ['tandem send --det', []],
  ['tandem send --task', ['--task-id']],
  ['tandem task get --ev', ['--events']],
  ['tandem serve --po', ['--port']],
  ['tandem serve --role w', ['web', 'worker']],
  ['tandem send --transport ', ['jsonrpc', 'rest']],
  ['tandem send -o j', ['json']],
  ['tandem send --timeout ', []],
  ['tandem send ', ['clerk', 'billing']],
  ['tandem send --timeout 5s cl', ['clerk']],
  ['tandem send clerk b', []],
  ['tandem send -a b', ['billing']],
  ['tandem task get ', ['clerk', 'billing']],
  ['tandem peers r', ['remove']],
  ['tandem peers remove ', ['clerk', 'billing']],
])(
  'bash completes %j',
  async (line, expected) => {
    const cwd = projectWith({ 'tandem.peers.json': JSON.stringify(PEERS) });
    writeFileSync(join(cwd, 'tandem.bash'), (await tandem(['completion', 'bash']).ended).stdout);
    const words = line.split(' ');
    const script = `source ./tandem.bash
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _tandem
printf '%s\\n' "\${COMPREPLY[@]}"`;
    writeFileSync(join(cwd, 'try.bash'), script);
    const { code, stdout, stderr } = await paste('bash try.bash', { cwd }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = stdout.split('\n').filter((word) => word !== '');
    if (expected.length < 2) expect(found).toEqual(expected);
    else expect(found).toEqual(expect.arrayContaining(expected));
  },
  TIMEOUT_MS,
);

test.each([
  ['zsh', /^#compdef tandem\n/, "'task get') _arguments "],
  [
    'fish',
    /^# Completes tandem in fish/,
    "complete -c tandem -n '__fish_seen_subcommand_from task; and __fish_seen_subcommand_from get' -l events",
  ],
])(
  'the script for %s lists every command',
  async (shell, start, piece) => {
    const { stdout } = await tandem(['completion', shell]).ended;
    expect(stdout).toMatch(start);
    expect(stdout).toContain(piece);
    for (const name of ['send', 'chat', 'wait', 'peers', 'doctor', 'serve', 'demo']) expect(stdout).toContain(name);
  },
  TIMEOUT_MS,
);

test.each([
  ['zsh', /'task get'\) _arguments .*'1:agent:_tandem_agents'/, /'--transport\[.*?\]:value:\(jsonrpc rest\)'/],
  [
    'fish',
    /__fish_seen_subcommand_from send' -a '\(tandem peers --names 2>\/dev\/null\)'/,
    /__fish_seen_subcommand_from send' -l transport -x -a 'jsonrpc rest'/,
  ],
])(
  'the script for %s completes the names of peers and the values of options',
  async (shell, peers, values) => {
    const { stdout } = await tandem(['completion', shell]).ended;
    expect(stdout).toMatch(peers);
    expect(stdout).toMatch(values);
    expect(stdout).toContain('tandem peers --names 2>/dev/null');
  },
  TIMEOUT_MS,
);
