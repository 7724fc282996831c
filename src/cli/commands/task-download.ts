import { mkdirSync } from 'node:fs';
import { AGENT_OPTIONS } from '../agent-options.ts';
import { filesOf, writeNew } from '../artifact-files.ts';
import { CliError } from '../cli-error.ts';
import { giveJson } from '../json-output.ts';
import { withAgent } from '../open-agent.ts';
import { defineCommand } from '../option.ts';
import { readChoice } from '../read-values.ts';
import { oneLine, screen } from '../screen.ts';
import { expectNoMore, takeTask } from '../task-arguments.ts';

const SYNOPSIS = 'task download [agent] <task>';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Saves what a task has given as files, and prints their paths. Nothing is overwritten: a name that is taken gets a number.
<task> is an id, or a handle without an agent.`,
  examples: ['tandem task download clerk 3f2c… --out results'],
  options: {
    out: { type: 'string', value: '<folder>', help: 'Where to put them; the current folder if not set' },
    artifact: { type: 'string', value: '<id|name>', help: 'Only this artifact' },
    fetch: { type: 'boolean', help: 'Also fetch files of which the agent only gave the address' },
    ...AGENT_OPTIONS,
  },
  async run({ values, sources, positionals }) {
    const isJson = readChoice('output', values.output, ['text', 'json']) === 'json';
    const { reference, taskId, rest } = takeTask({ values, sources }, positionals, SYNOPSIS);
    expectNoMore(rest, SYNOPSIS);
    const { out = '.', artifact: wanted } = values;
    await withAgent(values, reference, async (agent, within) => {
      const { artifacts = [] } = await agent.get(taskId, within);
      const chosen = artifacts.filter(
        ({ artifactId, name }) => wanted === undefined || [artifactId, name].includes(wanted),
      );
      if (wanted !== undefined && chosen.length === 0) {
        const names = artifacts.map(({ artifactId, name }) => oneLine(name ?? artifactId)).join(', ') || 'none';
        throw new CliError('failure', `The task has no artifact ${wanted}; it has ${names}`);
      }
      const paths: string[] = [];
      mkdirSync(out, { recursive: true });
      for (const { name, content } of chosen.flatMap(filesOf)) {
        if (content instanceof Uint8Array) paths.push(writeNew(out, name, content));
        else if (values.fetch) paths.push(writeNew(out, name, await agent.download(content, within)));
        else screen.tell(`Not fetched without --fetch: ${oneLine(content.url)}`, 'yellow');
      }
      screen.rest();
      if (isJson) return giveJson({ files: paths });
      for (const path of paths) screen.giveLine(path);
      if (artifacts.length === 0) screen.tell('The task has given nothing.');
    });
  },
});
