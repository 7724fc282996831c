/**
 * `node scripts/voice.mjs [--summary] [path …]`: prints the sentences that break a rule of voice in the current
 * checkout. Paths limit it to files that start with one of them.
 */
import { tsImport } from 'tsx/esm/api';

/** @type {typeof import('./text/voice.ts')} */
const { allPassages, violationsIn } = await tsImport('./text/voice.ts', import.meta.url);
const args = process.argv.slice(2);
const paths = args.filter((arg) => !arg.startsWith('--'));
const all = violationsIn(allPassages()).violations;
const violations = paths.length === 0 ? all : all.filter(({ file }) => paths.some((path) => file.startsWith(path)));
/** @type {string[]} */
const lines = [];
const print = (/** @type {string} */ line) => lines.push(line);

if (args.includes('--summary')) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { file } of violations) counts.set(file, (counts.get(file) ?? 0) + 1);
  for (const [file, count] of [...counts].sort((a, b) => b[1] - a[1])) print(`${String(count).padStart(5)} ${file}`);
} else {
  for (const { file, line, rule, found, hint, sentence } of violations) {
    print(`${file}:${line} [${rule}] "${found}" → ${hint}\n    ${sentence}`);
  }
}
process.stdout.write(`${lines.join('\n')}\n${violations.length} violations\n`);
