import { AGENT_OPTIONS } from '../agent-options.ts';
import { takeAgent } from '../agent-reference.ts';
import { giveProblems } from '../card-problems.ts';
import { diagnose, type Diagnosis } from '../diagnosis.ts';
import { connectionHint } from '../error-report.ts';
import { giveJson } from '../json-output.ts';
import { connectOptions } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice } from '../read-values.ts';
import { oneLine, screen, type Style } from '../screen.ts';
import { expectNoMore } from '../task-arguments.ts';

const SYNOPSIS = 'doctor [agent]';

/** Somebody who looks for a fault does not want to wait for it. */
const TIMEOUT_MS = 15_000;

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Says what is wrong with an agent: whether it can be reached, whether you may talk to it, and all that is wrong with its
card, each with what to do about it. Sends no message. Ends with 3 if nobody is there, 4 if you are not let in, and 1 if
something keeps clients out.`,
  examples: ['tandem doctor http://localhost:4100', 'tandem doctor card.json', 'tandem doctor clerk -o json'],
  options: { ...AGENT_OPTIONS },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, rest } = takeAgent({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    screen.work(`Looking at ${reference.name}`);
    const options = { timeoutMs: TIMEOUT_MS, ...connectOptions(values, reference) };
    const diagnosis = await diagnose(reference, options);
    screen.rest();
    if (isJson) giveJson({ agent: reference.name, ...diagnosis });
    else
      giveDiagnosis(
        reference.peer === undefined ? reference.name : `${reference.name}: ${reference.peer.url}`,
        diagnosis,
        options.auth !== undefined,
      );
    process.exitCode = exitCodeOf(diagnosis);
  },
});

function exitCodeOf({ reachable, authorised, problems, trouble }: Diagnosis): number {
  if (!reachable) return 3;
  if (authorised === false) return 4;
  return trouble !== null || problems.some(({ severity }) => severity === 'error') ? 1 : 0;
}

type Mark = '✓' | '✗' | '!' | '?';
const STYLES: Readonly<Record<Mark, Style>> = { '✓': 'green', '✗': 'red', '!': 'yellow', '?': 'dim' };

function giveCheck(mark: Mark, name: string, text: string, advice?: string): void {
  screen.giveMarked(`  ${screen.mark(mark, STYLES[mark])} ${screen.mark(name.padEnd(11), 'bold')} ${oneLine(text)}`);
  if (advice !== undefined) screen.giveLine(`                ${oneLine(advice)}`, 'dim');
}

function giveDiagnosis(name: string, diagnosis: Diagnosis, hasCredentials: boolean): void {
  const { reachable, card, chosen, problems, warnings, trouble } = diagnosis;
  screen.giveLine(oneLine(name), 'bold');
  const isOn = 'Is it running, and is that its address? A firewall or a proxy may be in between.';
  const { reachableWhy } = diagnosis;
  if (reachable) giveCheck('✓', 'Reachable', reachableWhy);
  else giveCheck('✗', 'Reachable', reachableWhy, connectionHint(reachableWhy) ?? isOn);
  giveAuthorised(diagnosis, hasCredentials);
  if (trouble !== null) giveCheck('✗', 'Usable', trouble);
  if (card !== null) {
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    const mark = errors > 0 ? '✗' : problems.length > 0 ? '!' : '✓';
    const where = diagnosis.cardUrl === null ? '' : ` at ${diagnosis.cardUrl}`;
    giveCheck(mark, 'Card', `${card.name || 'without a name'} ${card.version}${where}`);
  } else if (diagnosis.cardUrl !== null) giveCheck('✗', 'Card', `cannot be read, at ${diagnosis.cardUrl}`);
  giveProblems(problems, 'stdout');
  if (chosen !== null) {
    giveCheck(reachable ? '✓' : '?', 'Interface', `${chosen.binding} ${chosen.version} at ${chosen.url}`);
    giveCheck(
      card?.capabilities.streaming === true ? '✓' : '?',
      'Streams',
      card?.capabilities.streaming === true ? 'yes' : 'no: its answers are asked for again and again',
    );
  }
  for (const { field, description } of warnings) giveCheck('!', 'Odd', `${field}: ${description}`);
  giveVerdict(exitCodeOf(diagnosis), problems.length + warnings.length);
}

function giveAuthorised({ authorised, authorisedWhy }: Diagnosis, hasCredentials: boolean): void {
  if (authorised === null) return giveCheck('?', 'Authorised', authorisedWhy);
  if (authorised)
    return giveCheck('✓', 'Authorised', hasCredentials ? authorisedWhy : `${authorisedWhy}, without credentials`);
  const advice = hasCredentials
    ? 'Your credentials were refused: are they for this agent, and still valid?'
    : 'Give a token with A2ACLI_BEARER or --bearer, or a key with A2ACLI_API_KEY or --api-key.';
  giveCheck('✗', 'Authorised', authorisedWhy, advice);
}

const VERDICTS: Readonly<Record<number, string>> = {
  1: 'Clients will have trouble with it.',
  3: 'It cannot be reached.',
  4: 'It is there, and does not let you in.',
};

function giveVerdict(exitCode: number, oddities: number): void {
  screen.giveLine();
  if (exitCode !== 0) return screen.giveLine(VERDICTS[exitCode] ?? '', 'red');
  screen.giveLine(oddities === 0 ? 'All is well.' : 'It works. What is marked with ! could be better.', 'green');
}
