import { isLoopback } from '../../node/loopback.ts';
import { CliError } from '../cli-error.ts';
import { loadAgent } from '../load-agent.ts';
import { readAddress, readArguments, readPort } from '../read-arguments.ts';
import { listen, openStore, runUntilStopped } from '../serving.ts';

export const usage = `Usage: tandem serve <file> [options]

Serves the agent that a file exports, by default or as its only agent, until it gets a signal to stop.
The address of its card is printed on stdout, all else on stderr.

Options:
  --port <number>      Where to listen; else PORT from the environment, else 4100. 0: any that is free
  --host <address>     127.0.0.1 unless set; for now it must be of this machine
  --store <file>       Where tasks are kept, tandem.db unless set. memory: nowhere
  --public-url <url>   The address under which the world knows the agent, for its card
`;

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  store: { type: 'string', default: 'tandem.db' },
  'public-url': { type: 'string' },
} as const;

export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(args, OPTIONS);
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new CliError('usage', 'Give one file: tandem serve <file>');
  const { host } = values;
  if (!isLoopback(host)) {
    throw new CliError('usage', `--host must be of this machine, 127.0.0.1, ::1 or localhost, not ${host}`);
  }
  const port = readPort(values.port) ?? 4100;
  const publicUrl = values['public-url'];
  if (publicUrl !== undefined) readAddress('--public-url', publicUrl);

  const agent = await loadAgent(file);
  const store = await openStore(values.store);
  const server = await listen(agent, { port, host, store, ...(publicUrl !== undefined && { publicUrl }) });
  const kept = values.store === 'memory' ? 'in memory' : `in ${values.store}`;
  await runUntilStopped(server, store, () => {
    process.stderr.write(`${agent.name} is at ${server.url}, its tasks are kept ${kept}. Ctrl-C stops it. Its card:\n`);
    process.stdout.write(`${server.url}/.well-known/agent-card.json\n`);
  });
}
