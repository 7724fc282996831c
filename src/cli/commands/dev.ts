import { existsSync } from 'node:fs';
import { CliError } from '../cli-error.ts';
import { defineCommand } from '../option.ts';
import { onlyArgument, readPort } from '../read-values.ts';
import { CHILD_VARIABLE } from '../serving/dev/messages.ts';
import { SERVE_OPTIONS } from '../serving/serve-agent.ts';

export const command = defineCommand({
  synopsis: 'dev <file>',
  about: `Serves the agent of a file like tandem serve, and restarts it when the file changes, or a file that it imports. Open tasks
resume in the new code. Prints a line for each request and for each change of a task on stderr.`,
  examples: ['tandem dev agent.ts', 'tandem dev agent.ts --port 8080 --store memory'],
  options: {
    ...SERVE_OPTIONS,
    log: { ...SERVE_OPTIONS.log, help: 'The format of the log on stderr. Default: pretty' },
    'log-level': { ...SERVE_OPTIONS['log-level'], help: 'The lowest level that is logged. Default: warn' },
  },
  async run({ values, positionals }) {
    const file = onlyArgument(positionals, 'Pass one file: tandem dev <file>');
    const { log = 'pretty', 'log-level': level = 'warn' } = values;
    const port = process.env[CHILD_VARIABLE];
    if (port !== undefined && process.connected) {
      const { runAgentProcess } = await import('../serving/dev/agent-process.ts');
      return runAgentProcess(file, { ...values, log, 'log-level': level }, port);
    }
    if (!existsSync(file)) throw new CliError('usage', `File ${file} does not exist`);
    readPort(values.port);
    const { supervise } = await import('../serving/dev/supervisor.ts');
    await supervise(file, process.argv.slice(2));
  },
});
