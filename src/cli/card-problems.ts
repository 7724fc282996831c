import type { CardProblem } from '../client/inspect-card.ts';
import { oneLine, screen } from './screen.ts';

/** What is wrong with a card, each with its place and what to do about it. */
export function giveProblems(problems: readonly CardProblem[], where: 'stdout' | 'stderr'): void {
  for (const { path, severity, problem, fix } of problems) {
    const place = path === '' ? 'The card' : path;
    const what = `    ${severity === 'error' ? '✗' : '!'} ${shortened(`${place}: ${problem}`)}`;
    const advice = `      ${shortened(fix)}`;
    const style = severity === 'error' ? 'red' : 'yellow';
    if (where === 'stderr') {
      screen.tell(what, style);
      screen.tell(advice, 'dim');
    } else {
      screen.giveLine(what, style);
      screen.giveLine(advice, 'dim');
    }
  }
}

function shortened(text: string): string {
  return oneLine(text).slice(0, 500);
}
