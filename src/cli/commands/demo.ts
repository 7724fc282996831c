import type { AgentServer } from '../../node/serve.ts';
import { isHostedProduction } from '../../host/auth/hosted.ts';
import type { Store } from '../../store/store.ts';
import { PROFILE_NAMES } from '../../wire/offer.ts';
import { CliError } from '../cli-error.ts';
import { CrashWatch } from '../serving/crash-watch.ts';
import { demoAgent } from '../serving/demo-agent.ts';
import { invocation } from '../invocation.ts';
import { defineCommand } from '../option.ts';
import { readPort } from '../read-values.ts';
import { screen } from '../output/screen.ts';
import { openStore } from '../serving/open-store.ts';
import { listen, portErrorCode, runUntilStopped } from '../serving/serving.ts';
import { prettyLog } from '../serving/serving-log.ts';

const FIRST_PORT = 4100;
const PORTS = 20;

const MESSAGE = '{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hello"}]}}';

/**
 * The demo listens on this machine and needs no key, even if the environment sets a host or a key. In production that requires
 * `insecurePublic`. All profiles are mounted, so that clients of those systems can try the demo.
 */
const OPTIONS = {
  host: '127.0.0.1',
  auth: false,
  insecurePublic: isHostedProduction(),
  profile: PROFILE_NAMES,
  log: prettyLog,
} as const;

export const command = defineCommand({
  synopsis: 'demo',
  about: 'Serves a demo agent on this machine. It needs no key and no network.',
  examples: ['tandem demo', 'tandem demo --port 8080 --store memory'],
  options: {
    port: {
      value: '<number>',
      help: 'The port. Default: the environment variable PORT, otherwise the first free port from 4100 on',
      flagOnly: true,
    },
    store: {
      value: '<file>',
      help: 'The SQLite file in which tasks are stored, or memory. Default: tandem-demo.db',
      flagOnly: true,
    },
  },
  async run({ values, positionals }) {
    if (positionals.length > 0)
      throw new CliError('usage', 'tandem demo takes no file. To serve your own agent: tandem serve <file>');
    const port = readPort(values.port);
    const { store: name = 'tandem-demo.db' } = values;
    const store = await openStore(name, prettyLog);
    const crashes = new CrashWatch(prettyLog);
    const server =
      port === undefined ? await listenAtFree(store) : await listen(demoAgent, { port, store, ...OPTIONS });
    await runUntilStopped(server, { store, crashes, announce: () => introduce(server.url, name) });
  },
});

async function listenAtFree(store: Store): Promise<AgentServer> {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port++) {
    try {
      return await listen(demoAgent, { port, store, ...OPTIONS });
    } catch (error) {
      if (!(error instanceof CliError && portErrorCode(error.cause) === 'EADDRINUSE')) throw error;
    }
  }
  return listen(demoAgent, { port: 0, store, ...OPTIONS });
}

/** Lines to copy are on stdout, one each. Everything else is on stderr. */
function introduce(url: string, store: string): void {
  const kept = store === 'memory' ? 'in memory' : `in ${store}`;
  screen.notice(`${demoAgent.name} is at ${url}. Tasks are stored ${kept}. Press Ctrl-C to stop.`, 'bold');
  screen.notice('\nAgent card:', 'dim');
  screen.writeLine(`${url}/.well-known/agent-card.json`);
  screen.notice('\nTry it from another terminal:', 'dim');
  screen.writeLine(`curl -sN ${url}/message:stream -H 'content-type: application/json' -d '${MESSAGE}'`);
  screen.writeLine(`${invocation()} send ${url} 'book Rome'`);
  screen.writeLine(`${invocation()} chat ${url}`);
  screen.notice(`\n${demoAgent.card.description}`, 'dim');
}
