import { defineCommand } from '../option.ts';
import { onlyArgument } from '../read-values.ts';
import { runUntilStopped } from '../serving/serving.ts';
import { SERVE_OPTIONS, startServing } from '../serving/serve-agent.ts';

export const command = defineCommand({
  synopsis: 'serve <file>',
  about: `Serves the agent that a file exports, until it gets SIGINT or SIGTERM. The agent must be the default export, or the only
agent among the exports. Prints the URL of the agent card on stdout and everything else on stderr.`,
  examples: ['tandem serve agent.ts --port 8080', 'TANDEM_TOKEN=… tandem serve agent.ts --host 0.0.0.0'],
  options: SERVE_OPTIONS,
  async run({ values, positionals }) {
    const file = onlyArgument(positionals, 'Pass one file: tandem serve <file>');
    const { agent, server, store, place, crashes, print } = await startServing(file, values);
    const announce = (): void => {
      print(`${agent.name} is at ${server.url}. Tasks are stored in ${place}. Press Ctrl-C to stop. Agent card:`);
      process.stdout.write(`${server.url}/.well-known/agent-card.json\n`);
    };
    await runUntilStopped(server, { store, crashes, announce, print });
  },
});
