import type { AgentServer } from '../../node/serve.ts';
import { consoleLog } from '../../observe/console-log.ts';
import { isHostedProduction } from '../../server/auth/hosted.ts';
import type { Store } from '../../store/store.ts';
import { PROFILE_NAMES } from '../../wire/offer.ts';
import { CliError } from '../cli-error.ts';
import { CrashWatch } from '../crash-watch.ts';
import { demoAgent } from '../demo-agent.ts';
import { invocation } from '../invocation.ts';
import { defineCommand } from '../option.ts';
import { readPort } from '../read-values.ts';
import { screen } from '../screen.ts';
import { openStore } from '../open-store.ts';
import { listen, portTrouble, runUntilStopped } from '../serving.ts';

const FIRST_PORT = 4100;
const PORTS = 20;

const MESSAGE = '{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hello"}]}}';

/** The demo needs no key and listens on this machine, whatever the environment has. In production it must set insecurePublic. */
const OPEN = { host: '127.0.0.1', auth: false, insecurePublic: isHostedProduction() } as const;
/** Clients of every system that has a profile can try the demo. */
const OPTIONS = { ...OPEN, profile: PROFILE_NAMES };

export const command = defineCommand({
  synopsis: 'demo',
  about: 'Serves an agent that shows what agents can do. Needs no key and no network.',
  options: {
    port: {
      type: 'string',
      value: '<number>',
      help: 'Where to listen; else PORT from the environment, else the first free port from 4100 on',
      flagOnly: true,
    },
    store: {
      type: 'string',
      value: '<file>',
      help: 'Where tasks are kept, tandem-demo.db unless set. memory: nowhere',
      flagOnly: true,
    },
  },
  async run({ values, positionals }) {
    if (positionals.length > 0) throw new CliError('usage', 'tandem demo takes no file; tandem serve does');
    const port = readPort(values.port);
    const { store: name = 'tandem-demo.db' } = values;
    const store = await openStore(name, consoleLog);
    const crashes = new CrashWatch(consoleLog);
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
      if (!(error instanceof CliError && portTrouble(error.cause) === 'EADDRINUSE')) throw error;
    }
  }
  return listen(demoAgent, { port: 0, store, ...OPTIONS });
}

/** What is worth copying stands on stdout, on lines of its own. */
function introduce(url: string, store: string): void {
  const kept = store === 'memory' ? 'in memory' : `in ${store}`;
  screen.tell(`${demoAgent.name} is at ${url}, its tasks are kept ${kept}. Ctrl-C stops it.`, 'bold');
  screen.tell('\nIts card:', 'dim');
  screen.giveLine(`${url}/.well-known/agent-card.json`);
  screen.tell('\nTry it from another terminal:', 'dim');
  screen.giveLine(`curl -sN ${url}/message:stream -H 'content-type: application/json' -d '${MESSAGE}'`);
  screen.giveLine(`${invocation()} send ${url} 'book Rome'`);
  screen.giveLine(`${invocation()} chat ${url}`);
  screen.tell(`\n${demoAgent.card.description}`, 'dim');
}
