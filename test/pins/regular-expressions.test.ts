/**
 * Callers, agents and files choose the texts that regular expressions search, so every pattern in `src` must take linear time.
 * This test finds all patterns in the source, runs them on texts built from their own prefixes, and counts steps instead of
 * measuring time. The worst texts are then repeated to 1 MiB and given to the real regular expression engine.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';

import type { ESTree } from 'vite';
import { describe, expect, test } from 'vitest';

import { type Attack, attacksOn, textOf } from '../helpers/regex-attacks.ts';
import { countSteps, parseRegex, TooManySteps } from '../helpers/regex-steps.ts';
import { isTestFile, lineOf, readSources, visit } from '../helpers/source.ts';

/** Patterns built at run time, which this test cannot analyse, each with the reason why it is safe. */
const EXEMPT: ReadonlyMap<string, string> = new Map([
  [
    "src/model/answer-schema.ts: new RegExp(pattern, 'u')",
    'the author of the agent chooses the pattern; it is applied to answers of up to 10,000 characters',
  ],
  [
    "src/testing/recording/addresses.ts: new RegExp(`${origin.replace(/[\\\\^$.*+?()[\\]{}|]/g, '\\\\$&')}(?![\\\\w.:@-])`, 'g')",
    'an escaped origin and one character after it: the pattern has no repetition',
  ],
]);

const LENGTH = 1024;
/** Linear patterns in the source take up to 30 steps per character; a quadratic pattern takes 512 at this length. */
const STEPS_PER_CHARACTER = 100;

const MEBIBYTE = 1024 * 1024;
/** A linear pattern needs milliseconds for 1 MiB, a quadratic one more than five minutes on a fast machine. */
const HANG_MS = 60_000;

interface Pattern {
  readonly place: string;
  readonly regex: RegExp;
}

interface Found {
  readonly patterns: readonly Pattern[];
  /** Calls of `RegExp`: the pattern is known only at run time. */
  readonly computed: readonly string[];
}

function findPatterns(sources: ReadonlyMap<string, string>): Found {
  const patterns: Pattern[] = [];
  const computed: string[] = [];
  for (const [path, text] of sources) {
    if (isTestFile(path)) continue;
    const call = ({ callee, start, end }: ESTree.NewExpression | ESTree.CallExpression): void => {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') computed.push(`${path}: ${text.slice(start, end)}`);
    };
    visit(path, text, {
      Literal(node) {
        if (!('regex' in node)) return;
        const { pattern, flags } = node.regex;
        patterns.push({ place: `${path}:${lineOf(text, node.start)}`, regex: new RegExp(pattern, flags) });
      },
      NewExpression: call,
      CallExpression: call,
    });
  }
  return { patterns, computed };
}

interface Cost {
  readonly attack: Attack;
  /** Steps per character; infinite above the limit. */
  readonly steps: number;
}

/** The cost of each attack on a pattern, the highest first. */
function costsOf(regex: RegExp): readonly Cost[] {
  const node = parseRegex(regex);
  const costs: Cost[] = [];
  for (const attack of attacksOn(node)) {
    const text = textOf(attack, LENGTH);
    try {
      costs.push({ attack, steps: countSteps(regex, text, STEPS_PER_CHARACTER * text.length, node) / text.length });
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
      return [{ attack, steps: Number.POSITIVE_INFINITY }];
    }
  }
  return costs.toSorted((a, b) => b.steps - a.steps);
}

const { patterns, computed } = findPatterns(readSources('src'));

test('every regular expression that is built at run time is listed with a reason why it is safe', () => {
  expect(computed.toSorted()).toEqual([...EXEMPT.keys()].toSorted());
});

test('every regular expression in src takes linear time', async () => {
  expect(patterns.length).toBeGreaterThan(150);
  const worst: { place: string; regex: RegExp; attack: Attack }[] = [];
  const slow: string[] = [];
  // A pattern that occurs several times is checked once.
  for (const { place, regex } of new Map(patterns.map((pattern) => [String(pattern.regex), pattern])).values()) {
    const costs = costsOf(regex);
    if (costs[0]?.steps === Number.POSITIVE_INFINITY) {
      slow.push(`${place} ${String(regex)} on ${JSON.stringify(costs[0].attack)}`);
    }
    for (const { attack } of costs.slice(0, 2)) worst.push({ place, regex, attack });
  }
  expect(slow).toEqual([]);

  const hung = await runAll(worst);
  expect(hung.map((i) => `${worst[i]?.place} on ${JSON.stringify(worst[i]?.attack)}`)).toEqual([]);
}, 600_000);

/** Patterns that were in src, and typical super-linear ones. */
test.each([
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g],
  [/\b(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}/g],
  [/^\W*(\w*)\s*(.*?)\s*$/s],
  [/^\s*(?:identity)?\s*$/i],
  [/\/+$/],
  [/^\d{4}-\d\d-\d\d([Tt ])\d\d:\d\d:\d\d(\.\d+)?(.*)$/],
  [/^(.+)-(.+)-(.+)x$/],
  [/^(?:\w+\s?)*$/],
  [/(?:a|aa)+$/],
  [/"(?:\\.|[^"])*$/],
])('the step count detects that %s is super-linear', (regex) => {
  expect(costsOf(regex)[0]?.steps).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  ['const look = /x+$/;\n', ['src/planted.ts:1 /x+$/'], []],
  ["f(new RegExp(text), RegExp('a'));", [], ['src/planted.ts: new RegExp(text)', "src/planted.ts: RegExp('a')"]],
])('the pattern search finds the regular expressions in %s', (text, literals, calls) => {
  const found = findPatterns(new Map([['src/planted.ts', text]]));

  expect(found.patterns.map(({ place, regex }) => `${place} ${String(regex)}`)).toEqual(literals);
  expect(found.computed).toEqual(calls);
});

describe('countSteps', () => {
  test.each([
    [/^a*$/, 'aaaa', 20],
    [/b/, 'aaaa', 12],
    [/(?<!a)a/g, 'aaaa', 20],
  ])('counts few steps for %s on %s', (regex, text, atMost) => {
    expect(countSteps(regex, text, 1000)).toBeLessThanOrEqual(atMost);
  });

  test('throws above its limit', () => {
    expect(() => countSteps(/(?:a|a)*$/, `${'a'.repeat(40)}b`, 10_000)).toThrow(TooManySteps);
  });

  test.each([/(a)\1/, /(?<name>a)/, /(?<=ab)c/])('throws for the unsupported syntax of %s', (regex) => {
    expect(() => countSteps(regex, 'aabc', 1000)).toThrow(Error);
  });
});

test('functions that search outside texts terminate on 1 MiB of hostile input', async () => {
  const child = fork(new URL('../helpers/search-outside-texts.ts', import.meta.url), [String(MEBIBYTE)], {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  const done: string[] = [];
  const isOver = await terminates(child, (name) => done.push(String(name)));
  child.kill('SIGKILL');

  expect(isOver, `the search after ${done.at(-1)} terminates`).toBe(true);
  expect(done.length).toBeGreaterThan(50);
}, 600_000);

/** Runs each pattern on its 1 MiB text in a worker thread. Returns the indexes of the patterns that did not terminate. */
async function runAll(
  attacks: readonly { readonly regex: RegExp; readonly attack: Attack }[],
): Promise<readonly number[]> {
  // The worker builds the texts: together they are hundreds of megabytes.
  const jobs = attacks.map(({ regex, attack }) => ({
    regex,
    ...attack,
    times: Math.ceil(MEBIBYTE / attack.body.length),
  }));
  const hung: number[] = [];
  let next = 0;
  while (next < jobs.length) {
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       for (const { regex, head, body, times, tail } of workerData) {
         (head + body.repeat(times) + tail).replace(regex, 'x');
         parentPort.postMessage('done');
       }`,
      { eval: true, workerData: jobs.slice(next) },
    );
    const isOver = await terminates(worker, () => next++);
    await worker.terminate();
    if (isOver) break;
    hung.push(next++);
  }
  return hung;
}

/** Whether a process or thread exits, and reports progress at least once a minute until then. */
function terminates(worker: Worker | ChildProcess, hear: (message: unknown) => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(false);
    let timer = setTimeout(giveUp, HANG_MS);
    worker.on('message', (message: unknown) => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, HANG_MS);
      hear(message);
    });
    worker.once('error', reject);
    worker.once('exit', (code: number) => {
      clearTimeout(timer);
      if (code === 0) resolve(true);
      else reject(new Error(`Ended with ${code}`));
    });
  });
}
