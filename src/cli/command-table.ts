import type { Command } from './option.ts';

interface Entry {
  readonly summary: string;
  load(): Promise<{ readonly command: Command }>;
}

/** Each is loaded when it is called: to print a help text nobody needs a client, and to send a message nobody a server. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  send: { summary: 'Send a message to an agent and print its answer', load: () => import('./commands/send.ts') },
  chat: { summary: 'Talk to an agent', load: () => import('./commands/chat.ts') },
  wait: { summary: 'Wait for a task by its handle', load: () => import('./commands/wait.ts') },
  'card get': { summary: 'Show what an agent says of itself', load: () => import('./commands/card-get.ts') },
  'task get': { summary: 'Show a task, or the log of its events', load: () => import('./commands/task-get.ts') },
  'task list': { summary: 'List your tasks at an agent', load: () => import('./commands/task-list.ts') },
  'task cancel': { summary: 'Ask an agent to stop a task', load: () => import('./commands/task-cancel.ts') },
  'task subscribe': { summary: 'Follow a task that runs', load: () => import('./commands/task-subscribe.ts') },
  'task download': { summary: 'Save what a task has given', load: () => import('./commands/task-download.ts') },
  'task push-config': {
    summary: 'Say where to send news of a task',
    load: () => import('./commands/task-push-config.ts'),
  },
  peers: { summary: 'List the agents that have names here', load: () => import('./commands/peers.ts') },
  doctor: { summary: 'Say what is wrong with an agent', load: () => import('./commands/doctor.ts') },
  serve: { summary: 'Serve the agent of a file', load: () => import('./commands/serve.ts') },
  demo: { summary: 'Serve an agent that shows what agents can do', load: () => import('./commands/demo.ts') },
  migrate: { summary: 'Bring the tables of a database up to date', load: () => import('./commands/migrate.ts') },
  'admin purge': { summary: 'Delete all data of a caller', load: () => import('./commands/admin-purge.ts') },
  'config show': { summary: 'Show settings and where they come from', load: () => import('./commands/config-show.ts') },
  completion: { summary: 'Print a script that completes commands', load: () => import('./commands/completion.ts') },
};

/** Names that other tools have, or had. */
export const ALIASES: Readonly<Record<string, string>> = {
  ask: 'send',
  call: 'send',
  'message send': 'send',
  card: 'card get',
  'get card': 'card get',
  describe: 'card get',
  discover: 'card get',
  inspect: 'card get',
  'get task': 'task get',
  get: 'task get',
  'list tasks': 'task list',
  tasks: 'task list',
  'cancel task': 'task cancel',
  cancel: 'task cancel',
  'subscribe task': 'task subscribe',
  resubscribe: 'task subscribe',
  subscribe: 'task subscribe',
  watch: 'task subscribe',
  download: 'task download',
  'push-config': 'task push-config',
  'demo-server': 'demo',
  'show-config': 'config show',
};

/** The command that the first words name, and the words after them. */
export function findCommand(
  words: readonly string[],
): { readonly name: string; readonly rest: readonly string[] } | undefined {
  for (const count of [2, 1]) {
    const spelled = words.slice(0, count).join(' ');
    const name = Object.hasOwn(ALIASES, spelled) ? ALIASES[spelled] : spelled;
    if (words.length >= count && name !== undefined && Object.hasOwn(COMMANDS, name)) {
      return { name, rest: words.slice(count) };
    }
  }
  return undefined;
}
