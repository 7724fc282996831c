import { mkdirSync } from 'node:fs';
import { taskCommand } from '../agents/agent-command.ts';
import { filesOf, writeNew } from '../details/artifact-files.ts';
import { CliError } from '../cli-error.ts';
import { oneLine, screen } from '../output/screen.ts';

export const command = taskCommand({
  synopsis: 'task download [agent] <task>',
  about: `Saves the artifacts of a task as files and prints their paths. Existing files are kept: a number is added to the new name.
<task> is an id; a handle replaces both agent and id.`,
  examples: ['tandem task download clerk 3f2c… --out results'],
  options: {
    out: { value: '<folder>', help: 'The folder to write to. Default: the current folder' },
    artifact: { value: '<id|name>', help: 'Save only this artifact' },
    fetch: { help: 'Also download files that the agent sent as URLs' },
  },
  async run({ values, isJson, taskId, withAgent }) {
    const { out = '.', artifact: wanted } = values;
    await withAgent(async (agent, within) => {
      const { artifacts = [] } = await agent.get(taskId, within);
      const chosen = artifacts.filter(
        ({ artifactId, name }) => wanted === undefined || [artifactId, name].includes(wanted),
      );
      if (wanted !== undefined && chosen.length === 0) {
        const names = artifacts.map(({ artifactId, name }) => oneLine(name ?? artifactId)).join(', ') || 'none';
        throw new CliError('failure', `The task has no artifact ${wanted}. Its artifacts: ${names}`);
      }
      const paths: string[] = [];
      mkdirSync(out, { recursive: true });
      for (const { name, content } of chosen.flatMap(filesOf)) {
        if (content instanceof Uint8Array) paths.push(writeNew(out, name, content));
        else if (values.fetch) paths.push(writeNew(out, name, await agent.download(content, within)));
        else screen.notice(`Not downloaded: ${oneLine(content.url)}. Pass --fetch to download it.`, 'yellow');
      }
      screen.hideProgress();
      if (isJson) return screen.writeJson({ files: paths });
      for (const path of paths) screen.writeLine(path);
      if (artifacts.length === 0) screen.notice('The task has no artifacts.');
    });
  },
});
