import type { CardProblem } from '../../client/card/inspect-card.ts';
import type { AgentCard } from '../../model/card.ts';
import { oneLine, screen, type Style } from './screen.ts';

type Stream = 'stdout' | 'stderr';

/** Prints whether a card is valid, and then its problems. An undefined card could not be decoded. */
export function printVerdict(card: AgentCard | undefined, problems: readonly CardProblem[], where: Stream): void {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const verdict = verdictOf(card, errors, problems.length - errors);
  const style = errors > 0 ? 'red' : problems.length > 0 ? 'yellow' : 'green';
  print(where, verdict, style);
  printProblems(problems, where);
}

function verdictOf(card: AgentCard | undefined, errors: number, warnings: number): string {
  const warned = counted(warnings, 'warning');
  if (errors > 0) return `The card has ${counted(errors, 'problem')}${warnings > 0 ? ` and ${warned}` : ''}:`;
  if (warnings > 0 || card === undefined) return `The card is valid, with ${warned}:`;
  const versions = [...new Set(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion))];
  const facts = [
    `A2A ${versions.join(' and ')}`,
    counted(card.supportedInterfaces.length, 'interface'),
    counted(card.skills.length, 'skill'),
  ];
  return `The card is valid: ${oneLine(facts.join(', '))}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Prints the problems of a card: for each the field, the problem and the fix. */
export function printProblems(problems: readonly CardProblem[], where: Stream): void {
  for (const { path, severity, problem, fix } of problems) {
    const field = path === '' ? 'The card' : path;
    const what = `    ${severity === 'error' ? '✗' : '!'} ${shortened(`${field}: ${problem}`)}`;
    const advice = `      ${shortened(fix)}`;
    const style = severity === 'error' ? 'red' : 'yellow';
    print(where, what, style);
    print(where, advice, 'dim');
  }
}

function shortened(text: string): string {
  return oneLine(text).slice(0, 500);
}

function print(where: Stream, text: string, style: Style): void {
  if (where === 'stderr') screen.notice(text, style);
  else screen.writeLine(text, style);
}
