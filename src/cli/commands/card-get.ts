import { inspectCard } from '../../client/inspect-card.ts';
import { AGENT_OPTIONS } from '../agent-options.ts';
import { takeAgent } from '../agent-reference.ts';
import { giveCard } from '../card-details.ts';
import { giveProblems } from '../card-problems.ts';
import { giveJson } from '../json-output.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice } from '../read-values.ts';
import { screen } from '../screen.ts';
import { expectNoMore } from '../task-arguments.ts';

const SYNOPSIS = 'card get [agent]';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: 'Shows what an agent says of itself. Cards of all versions are shown in the words of 1.0.',
  examples: ['tandem card get http://localhost:4100', 'tandem card get clerk --extended -o json'],
  options: {
    extended: { type: 'boolean', help: 'The card for known callers' },
    validate: { type: 'boolean', help: 'Also list all that is wrong with it; 1 if that keeps clients out' },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, rest } = takeAgent({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    await withAgent(values, reference, async (agent, within) => {
      const card = values.extended ? await agent.extendedCard(within) : agent.card;
      screen.rest();
      if (isJson) giveJson(card);
      else giveCard(card, agent.chosen);
      if (!values.validate) return;
      const { problems } = inspectCard(card, typeof reference.target === 'string' ? agent.chosen.url : undefined);
      if (!isJson) screen.giveLine();
      giveProblems(problems, isJson ? 'stderr' : 'stdout');
      if (problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    });
  },
});
