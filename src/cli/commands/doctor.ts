import { agentCommand } from '../agents/agent-command.ts';
import { printProblems } from '../output/card-problems.ts';
import { diagnose, type Diagnosis, type OperationCheck } from '../details/diagnosis.ts';
import { connectionHint } from '../agents/error-report.ts';
import { connectOptions } from '../agents/open-agent.ts';
import { oneLine, screen, type Style } from '../output/screen.ts';

/** The default time limit of each check, shorter than usual because the user is waiting for a diagnosis. */
const TIMEOUT_MS = 15_000;

export const command = agentCommand({
  synopsis: 'doctor [agent]',
  about: `Checks whether clients can use an agent: that it is reachable, that it accepts your credentials, that its card is valid, and
that the operations get, list and subscribe work. It sends no message unless you pass --message, which also checks the stream.
Exits with 3 if the agent is not reachable, 4 if it rejects your credentials, and 1 if clients cannot use it.`,
  examples: [
    'tandem doctor http://localhost:4100',
    "tandem doctor http://localhost:4100 --message 'Hello'",
    'tandem doctor clerk -o json',
  ],
  options: {
    message: { value: '<text>', help: 'Send this message and check its stream', flagOnly: true },
  },
  async run({ values, isJson, reference }) {
    screen.showProgress(`Checking ${reference.name}`);
    const options = { timeoutMs: TIMEOUT_MS, ...connectOptions(values, reference) };
    const diagnosis = await diagnose(reference, options, values.message);
    screen.hideProgress();
    if (isJson) screen.writeJson({ agent: reference.name, ...diagnosis });
    else
      printDiagnosis(
        reference.peer === undefined ? reference.name : `${reference.name}: ${reference.peer.url}`,
        diagnosis,
        options.auth !== undefined,
      );
    process.exitCode = exitCodeOf(diagnosis);
  },
});

function exitCodeOf({ reachable, authorised, problems, trouble, operations }: Diagnosis): number {
  if (!reachable) return 3;
  if (authorised === false) return 4;
  if (operations.some(({ result }) => result === 'broken')) return 1;
  return trouble !== null || problems.some(({ severity }) => severity === 'error') ? 1 : 0;
}

type Mark = '✓' | '✗' | '!' | '?';
const STYLES: Readonly<Record<Mark, Style>> = { '✓': 'green', '✗': 'red', '!': 'yellow', '?': 'dim' };

function printCheck(mark: Mark, name: string, text: string, advice?: string): void {
  screen.writeMarked(`  ${screen.mark(mark, STYLES[mark])} ${screen.mark(name.padEnd(11), 'bold')} ${oneLine(text)}`);
  if (advice !== undefined) screen.writeLine(`                ${oneLine(advice)}`, 'dim');
}

function printDiagnosis(name: string, diagnosis: Diagnosis, hasCredentials: boolean): void {
  const { reachable, card, chosen, problems, warnings, trouble } = diagnosis;
  screen.writeLine(oneLine(name), 'bold');
  const isOn = 'Check that the agent is running at this address, and that no firewall or proxy blocks it.';
  const { reachableWhy } = diagnosis;
  if (reachable) printCheck('✓', 'Reachable', reachableWhy);
  else printCheck('✗', 'Reachable', reachableWhy, connectionHint(reachableWhy) ?? isOn);
  printAuthorised(diagnosis, hasCredentials);
  if (trouble !== null) printCheck('✗', 'Usable', trouble);
  if (card !== null) {
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    const mark = errors > 0 ? '✗' : problems.length > 0 ? '!' : '✓';
    const where = diagnosis.cardUrl === null ? '' : ` at ${diagnosis.cardUrl}`;
    printCheck(mark, 'Card', `${card.name || 'unnamed'} ${card.version}${where}`);
  } else if (diagnosis.cardUrl !== null) printCheck('✗', 'Card', `cannot be decoded, at ${diagnosis.cardUrl}`);
  printProblems(problems, 'stdout');
  if (chosen !== null) {
    printCheck(reachable ? '✓' : '?', 'Interface', `${chosen.binding} ${chosen.version} at ${chosen.url}`);
    if (card?.capabilities.streaming !== true)
      printCheck('?', 'Streaming', 'not declared by the card: clients poll the task instead');
  }
  for (const check of diagnosis.operations) printOperation(check);
  for (const { field, description } of warnings) printCheck('!', 'Warning', `${field}: ${description}`);
  printVerdict(exitCodeOf(diagnosis), problems.length + warnings.length);
}

const OPERATIONS: Readonly<Record<OperationCheck['operation'], string>> = {
  get: 'Get',
  list: 'List',
  subscribe: 'Subscribe',
  stream: 'Stream',
};
const RESULTS: Readonly<Record<OperationCheck['result'], Mark>> = {
  works: '✓',
  missing: '?',
  broken: '✗',
  untried: '?',
};

function printOperation({ operation, result, why }: OperationCheck): void {
  printCheck(RESULTS[result], OPERATIONS[operation], result === 'missing' ? `not supported: ${why}` : why);
}

function printAuthorised({ authorised, authorisedWhy }: Diagnosis, hasCredentials: boolean): void {
  if (authorised === null) return printCheck('?', 'Authorised', authorisedWhy);
  if (authorised)
    return printCheck('✓', 'Authorised', hasCredentials ? authorisedWhy : `${authorisedWhy}, without credentials`);
  const advice = hasCredentials
    ? 'The agent rejected your credentials. Check that they are for this agent and have not expired.'
    : 'Pass a token with A2ACLI_BEARER or --bearer, or a key with A2ACLI_API_KEY or --api-key.';
  printCheck('✗', 'Authorised', authorisedWhy, advice);
}

const VERDICTS: Readonly<Record<number, string>> = {
  1: 'Clients cannot use this agent, or only in part.',
  3: 'The agent is not reachable.',
  4: 'The agent is reachable, but it denies access.',
};

function printVerdict(exitCode: number, warnings: number): void {
  screen.writeLine();
  if (exitCode !== 0) return screen.writeLine(VERDICTS[exitCode] ?? '', 'red');
  screen.writeLine(
    warnings === 0 ? 'No problems found.' : 'The agent works. Items marked with ! could be improved.',
    'green',
  );
}
