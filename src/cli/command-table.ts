import type { Command } from './option.ts';

interface Entry {
  readonly summary: string;
  load(): Promise<{ readonly command: Command }>;
}

/** All commands. Each is loaded when it runs: a help text does not need the client, and `send` does not need the server. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  send: { summary: 'Send a message to an agent and print its output', load: () => import('./commands/send.ts') },
  chat: { summary: 'Hold a conversation with an agent', load: () => import('./commands/chat.ts') },
  wait: { summary: 'Wait for a task by its handle', load: () => import('./commands/wait.ts') },
  'card get': { summary: 'Show and validate the card of an agent', load: () => import('./commands/card-get.ts') },
  'task get': { summary: 'Show a task or its events', load: () => import('./commands/task-get.ts') },
  'task list': { summary: 'List your tasks at an agent', load: () => import('./commands/task-list.ts') },
  'task cancel': { summary: 'Cancel a task', load: () => import('./commands/task-cancel.ts') },
  'task subscribe': {
    summary: 'Stream the events of a running task',
    load: () => import('./commands/task-subscribe.ts'),
  },
  'task download': {
    summary: 'Save the artifacts of a task as files',
    load: () => import('./commands/task-download.ts'),
  },
  'task push-config': {
    summary: 'Manage the webhooks of a task',
    load: () => import('./commands/task-push-config.ts'),
  },
  peers: { summary: 'List, add, remove and check agents with a name', load: () => import('./commands/peers.ts') },
  doctor: { summary: 'Check whether clients can use an agent', load: () => import('./commands/doctor.ts') },
  init: { summary: 'Create a project with an agent and its test', load: () => import('./commands/init.ts') },
  serve: { summary: 'Serve the agents of files', load: () => import('./commands/serve.ts') },
  dev: {
    summary: 'Serve the agents of files, and restart them when a file changes',
    load: () => import('./commands/dev.ts'),
  },
  demo: { summary: 'Serve the demo agent', load: () => import('./commands/demo.ts') },
  migrate: {
    summary: 'Create or upgrade the tables of a PostgreSQL database',
    load: () => import('./commands/migrate.ts'),
  },
  'admin list': { summary: 'List the tasks of all callers in a store', load: () => import('./commands/admin/list.ts') },
  'admin show': {
    summary: 'Show a task of any caller and the outline of its journal',
    load: () => import('./commands/admin/show.ts'),
  },
  'admin tree': {
    summary: 'Show the calls of a task of any caller to other agents',
    load: () => import('./commands/admin/tree.ts'),
  },
  'admin release': {
    summary: 'Let a task continue that changed code holds',
    load: () => import('./commands/admin/release.ts'),
  },
  'admin purge': { summary: 'Delete all data of one caller', load: () => import('./commands/admin/purge.ts') },
  'config show': { summary: 'Show the settings and their sources', load: () => import('./commands/config-show.ts') },
  completion: { summary: 'Print a completion script for a shell', load: () => import('./commands/completion.ts') },
};

/** Names that other A2A tools use or used. */
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

/** Finds the command that the first words name, and returns it with the words after them. */
export function findCommand(
  words: readonly string[],
): { readonly name: string; readonly rest: readonly string[] } | undefined {
  for (const count of [2, 1]) {
    const typed = words.slice(0, count).join(' ');
    const name = Object.hasOwn(ALIASES, typed) ? ALIASES[typed] : typed;
    if (words.length >= count && name !== undefined && Object.hasOwn(COMMANDS, name)) {
      return { name, rest: words.slice(count) };
    }
  }
  return undefined;
}
