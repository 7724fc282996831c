import { inspectCard } from '../../client/card/inspect-card.ts';
import { agentCommand } from '../agents/agent-command.ts';
import { printCard } from '../details/card-details.ts';
import { printVerdict } from '../output/card-problems.ts';
import { CliError } from '../cli-error.ts';
import { connectOptions } from '../agents/open-agent.ts';
import { publishedCard } from '../agents/published-card.ts';
import { screen } from '../output/screen.ts';

export const command = agentCommand({
  synopsis: 'card get [agent]',
  about: `Shows the card of an agent: its interfaces, capabilities, security schemes and skills. Cards of all versions are shown in the
1.0 format.`,
  examples: [
    'tandem card get http://localhost:4100',
    'tandem card get http://localhost:4100 --validate',
    'tandem card get clerk --extended -o json',
  ],
  options: {
    extended: { help: 'Show the extended card, which only authenticated callers get' },
    validate: { help: 'Also check the card and list its problems. Exits with 1 if some clients cannot use the agent' },
  },
  async run({ values, isJson, reference, withAgent }) {
    const where = isJson ? 'stderr' : 'stdout';
    const published =
      values.validate && !values.extended
        ? await publishedCard(reference, connectOptions(values, reference))
        : undefined;
    const report = published === undefined ? undefined : inspectCard(published.json, published.url ?? undefined);
    if (report !== undefined && report.card === undefined) {
      printVerdict(undefined, report.problems, where);
      throw new CliError('failure', 'The card cannot be used', { code: 'A2ACLI_ERR_CARD_INVALID' });
    }
    await withAgent(async (agent, within) => {
      const card = values.extended ? await agent.extendedCard(within) : agent.card;
      screen.hideProgress();
      if (isJson) screen.writeJson(card);
      else printCard(card, agent.chosen);
      if (!values.validate) return;
      const found = typeof reference.target === 'string' ? agent.chosen.url : undefined;
      const { problems } = report ?? inspectCard(card, found);
      if (!isJson) screen.writeLine();
      printVerdict(card, problems, where);
      if (problems.some(({ severity }) => severity === 'error')) process.exitCode = 1;
    });
  },
});
