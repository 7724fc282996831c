import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paste, projectWith, tandem, TIMEOUT_MS } from './program.ts';

test.each([
  ['tandem ', ['send', 'task', 'doctor', 'help']],
  ['tandem ta', ['task']],
  ['tandem task ', ['get', 'list', 'push-config']],
  ['tandem task s', ['subscribe']],
  ['tandem send --det', []],
  ['tandem send --task', ['--task-id']],
  ['tandem task get --ev', ['--events']],
  ['tandem serve --po', ['--port']],
])(
  'bash completes %j',
  async (line, expected) => {
    const cwd = projectWith();
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
  'the script for %s knows every command',
  async (shell, start, piece) => {
    const { stdout } = await tandem(['completion', shell]).ended;
    expect(stdout).toMatch(start);
    expect(stdout).toContain(piece);
    for (const name of ['send', 'chat', 'wait', 'peers', 'doctor', 'serve', 'demo']) expect(stdout).toContain(name);
  },
  TIMEOUT_MS,
);
