import { expect, test } from 'vitest';
import { docPassages, linePassage, markdownPassages } from '../../scripts/text/prose.ts';
import { allPassages, violationsIn } from '../../scripts/text/voice.ts';

test('no text breaks a language rule', () => {
  const { violations, unused } = violationsIn(allPassages());
  const lines = violations.map(
    ({ file, line, rule, found, hint, sentence }) => `${file}:${line} [${rule}] "${found}" → ${hint}\n    ${sentence}`,
  );
  expect(lines.join('\n'), 'node scripts/voice.mjs prints this list').toBe('');
  expect(unused, 'entries of scripts/text/voice-allowed.ts that allow nothing').toEqual([]);
});

const rulesIn = (text: string): readonly string[] =>
  violationsIn(markdownPassages('page.md', text)).violations.map(({ rule, line }) => `${line} ${rule}`);

test.each([
  ['Who asks too often gets 429.', '1 headless clause'],
  ['Callers wait. What is not listed is rejected.', '1 headless clause'],
  ['A token is checked; who has none gets 401.', '1 headless clause'],
  ['The card for whoever asks.', '1 headless clause'],
  ['| a | b |\n| --- | --- |\n| `c` | what paths begin with |', '3 headless clause'],
  ['One line,\nanother, and his token.', '1 he'],
  ['Some text.\nThe receivers are told.', '2 tell'],
  ['The task goes on.', '1 go on'],
  ['This is no agent.', '1 is no'],
  ['The server refuses it.', '1 refuse'],
  ['See Z-06.', '1 rule id'],
])('the language check finds the violation in %s', (text, expected) => {
  expect(rulesIn(text)).toEqual([expected]);
});

test.each([
  'What happens after a crash?',
  '## What it costs',
  '| option | what it does |\n| --- | --- |',
  'There is no default, and it is no longer needed.',
  'The connection is refused.',
  'The log contains `told`, and "He says so".',
  '```\nWho says so\n```',
  '<!-- Who says so -->',
  'Callers who have a token pass. The server checks what they send.',
])('the language check accepts %s', (text) => {
  expect(rulesIn(text)).toEqual([]);
});

test('the language check reports the line of a comment, and ignores code in examples', () => {
  const doc = ' Serves it.\n@param a The agent\nthat is told.\n@example\nhe(his);\n@throws if he likes';
  expect(violationsIn(docPassages('a.ts', doc, 10)).violations).toMatchObject([
    { file: 'a.ts', line: 11, rule: 'tell' },
    { file: 'a.ts', line: 15, rule: 'he' },
  ]);
  expect(violationsIn([linePassage('a.ts', 'message', 7, 'Say {his} name')]).violations).toEqual([]);
});
