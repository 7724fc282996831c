import { existsSync } from 'node:fs';
import { CliError } from '../cli-error.ts';
import { defineCommand } from '../option.ts';
import { readPort } from '../read-values.ts';
import { CHILD_VARIABLE } from '../serving/dev/messages.ts';
import { SERVE_OPTIONS, type ServeValues } from '../serving/serve-agent.ts';

export const command = defineCommand({
  synopsis: 'dev <file> [file…]',
  about: `Serves agents like tandem serve, and restarts them when one of the files changes, or a file that they import. Open tasks
resume in the new code. Prints a line for each request and for each change of a task on stderr.`,
  examples: ['tandem dev agent.ts', 'tandem dev agent.ts --port 8080 --store memory'],
  options: {
    ...SERVE_OPTIONS,
    log: { ...SERVE_OPTIONS.log, help: 'The format of the log on stderr. Default: pretty' },
    'log-level': { ...SERVE_OPTIONS['log-level'], help: 'The lowest level that is logged. Default: warn' },
  },
  run: ({ values, positionals }) => develop(positionals, values),
});

async function develop(files: readonly string[], values: ServeValues): Promise<void> {
  if (files.length === 0) throw new CliError('usage', 'Pass a file: tandem dev <file>');
  const { log = 'pretty', 'log-level': level = 'warn' } = values;
  const port = process.env[CHILD_VARIABLE];
  if (port !== undefined && process.connected) {
    const { runAgentProcess } = await import('../serving/dev/agent-process.ts');
    return runAgentProcess(files, { ...values, log, 'log-level': level }, port);
  }
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new CliError('usage', `File ${missing} does not exist`);
  readPort(values.port);
  const { supervise } = await import('../serving/dev/supervisor.ts');
  await supervise(files, process.argv.slice(2));
}
