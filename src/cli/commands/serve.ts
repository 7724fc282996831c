import { CliError } from '../cli-error.ts';
import { defineCommand } from '../option.ts';
import { cardsHeading, placesOf } from '../serving/announcement.ts';
import { runUntilStopped } from '../serving/serving.ts';
import { SERVE_OPTIONS, type ServeValues, startServing } from '../serving/serve-agent.ts';

export const command = defineCommand({
  synopsis: 'serve <file> [file…]',
  about: `Serves the agent that a file exports, until it gets SIGINT or SIGTERM. The agent must be the default export, or the only
agent among the exports. The agents of several files share the port, the store and all options, and each is at /a/<id>.
Prints the URL of each agent card on stdout and everything else on stderr.`,
  examples: [
    'tandem serve agent.ts --port 8080',
    'tandem serve mail.ts crm.ts',
    'TANDEM_TOKEN=… tandem serve agent.ts --host 0.0.0.0',
  ],
  options: SERVE_OPTIONS,
  run: ({ values, positionals }) => serveFiles(positionals, values),
});

async function serveFiles(files: readonly string[], values: ServeValues): Promise<void> {
  if (files.length === 0) throw new CliError('usage', 'Pass a file: tandem serve <file>');
  const { announcement, server, store, crashes, print } = await startServing(files, values);
  const announce = (): void => {
    print(`${placesOf(announcement)} Press Ctrl-C to stop. ${cardsHeading(announcement)}`);
    for (const card of announcement.cards) process.stdout.write(`${card}\n`);
  };
  await runUntilStopped(server, { store, crashes, announce, print });
}
