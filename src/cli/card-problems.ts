import type { CardProblem } from '../client/inspect-card.ts';
import { oneLine, screen } from './screen.ts';

/** What is wrong with a card, each with its place and what to do about it. */
export function giveProblems(problems: readonly CardProblem[], where: 'stdout' | 'stderr'): void {
  for (const { path, severity, problem, fix } of problems) {
    const place = path === '' ? 'The card' : path;
    const [first, second] = [`${severity === 'error' ? '✗' : '!'} ${place}: ${problem}`, `    ${fix}`].map(shortened);
    if (where === 'stderr') {
      screen.tell(`  ${first}\n${second}`, severity === 'error' ? 'red' : 'yellow');
    } else {
      screen.giveLine(`  ${first}`, severity === 'error' ? 'red' : 'yellow');
      screen.giveLine(`    ${second}`, 'dim');
    }
  }
}

function shortened(text: string): string {
  return oneLine(text).slice(0, 500);
}
