import { isLoopback } from '../../node/loopback.ts';
import { CliError } from '../cli-error.ts';
import { loadAgent } from '../load-agent.ts';
import { defineCommand } from '../option.ts';
import { readAddress, readPort } from '../read-values.ts';
import { listen, openStore, runUntilStopped } from '../serving.ts';
import { LOG_OPTIONS, servingLog } from '../serving-log.ts';

export const command = defineCommand({
  synopsis: 'serve <file>',
  about: `Serves the agent that a file exports, by default or as its only agent, until it gets a signal to stop.
The address of its card is printed on stdout, all else on stderr.`,
  examples: ['tandem serve agent.ts --port 8080'],
  options: {
    port: {
      type: 'string',
      value: '<number>',
      help: 'Where to listen; else PORT from the environment, else 4100. 0: any that is free',
      flagOnly: true,
    },
    host: {
      type: 'string',
      value: '<address>',
      help: '127.0.0.1 unless set; for now it must be of this machine',
      flagOnly: true,
    },
    store: {
      type: 'string',
      value: '<file>',
      help: 'Where tasks are kept, tandem.db unless set. memory: nowhere',
      flagOnly: true,
    },
    'public-url': {
      type: 'string',
      value: '<url>',
      help: 'The address under which the world knows the agent, for its card',
      flagOnly: true,
    },
    ...LOG_OPTIONS,
    metrics: { type: 'boolean', help: 'Count what happens, and show it at /metrics to this machine', flagOnly: true },
  },
  run: ({ values, positionals }) => serveFile(positionals, values),
});

interface ServeValues {
  readonly port: string | undefined;
  readonly host: string | undefined;
  readonly store: string | undefined;
  readonly 'public-url': string | undefined;
  readonly log: string | undefined;
  readonly 'log-level': string | undefined;
  readonly metrics: boolean;
}

async function serveFile(positionals: readonly string[], values: ServeValues): Promise<void> {
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new CliError('usage', 'Give one file: tandem serve <file>');
  const { host = '127.0.0.1', store: storeName = 'tandem.db' } = values;
  if (!isLoopback(host)) {
    throw new CliError('usage', `--host must be of this machine, 127.0.0.1, ::1 or localhost, not ${host}`);
  }
  const port = readPort(values.port) ?? 4100;
  const publicUrl = values['public-url'];
  if (publicUrl !== undefined) readAddress('--public-url', publicUrl);

  const { log, tell } = servingLog(values);

  const agent = await loadAgent(file);
  const store = await openStore(storeName);
  const { metrics } = values;
  const server = await listen(agent, {
    port,
    host,
    store,
    log,
    metrics,
    ...(publicUrl !== undefined && { publicUrl }),
  });
  const kept = storeName === 'memory' ? 'in memory' : `in ${storeName}`;
  const announce = (): void => {
    tell(`${agent.name} is at ${server.url}, its tasks are kept ${kept}. Ctrl-C stops it. Its card:`);
    process.stdout.write(`${server.url}/.well-known/agent-card.json\n`);
  };
  await runUntilStopped(server, store, announce, tell);
}
