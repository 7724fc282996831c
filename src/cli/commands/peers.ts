import { tryDiscover } from '../../client/connect.ts';
import { A2AError } from '../../errors.ts';
import { CALL_OPTIONS } from '../agents/call-options.ts';
import { CliError } from '../cli-error.ts';
import { connectOptions, type AgentValues } from '../agents/open-agent.ts';
import { defineCommand } from '../option.ts';
import { type Peer, peerNamed, type PeersFile, readPeers, writePeers } from '../agents/peers-file.ts';
import { expectNoMore, readAddress, wantsJson } from '../read-values.ts';
import { oneLine, screen } from '../output/screen.ts';

const SYNOPSIS = 'peers [list | add <name> <url> | remove <name>]';

export const command = defineCommand({
  synopsis: SYNOPSIS,
  about: `Lists the agents that have a name, or changes the list. The list is the nearest tandem.peers.json from the current folder
upwards, otherwise tandem/peers.json in your configuration folder:

  { "clerk": "http://localhost:4100",
    "billing": { "url": "https://billing.example", "bearerEnv": "BILLING_TOKEN" } }

Secrets stay in the environment. The file contains only the names of their variables.`,
  examples: ['tandem peers add clerk http://localhost:4100', 'tandem send clerk hello', 'tandem peers --check'],
  options: {
    check: { help: 'Read the card of each peer, and show whether it is reachable' },
    names: { help: 'List only the names, one per line', flagOnly: true },
    ...CALL_OPTIONS,
  },
  async run({ values, positionals }) {
    const isJson = wantsJson(values);
    const [verb = 'list', name, address, ...rest] = positionals;
    expectNoMore(rest, SYNOPSIS);
    const file = readPeers(values.peers);
    if (verb === 'add') return add(file, name, address);
    if (verb === 'remove') return remove(file, name);
    if (verb !== 'list' || name !== undefined) throw new CliError('usage', `Usage: tandem ${SYNOPSIS}`);
    const peers = Object.entries(file.peers);
    if (values.names) return peers.forEach(([id]) => screen.writeLine(oneLine(id)));
    const rows = values.check
      ? await Promise.all(peers.map(([id, peer]) => check(id, peer, values)))
      : peers.map(([id, { url, description }]): Row => ({ id, url, description }));
    screen.hideProgress();
    if (isJson) return screen.writeJson({ file: file.file, peers: rows });
    if (rows.length === 0) screen.notice(`${file.file} has no peers. Add one: tandem peers add <name> <url>`);
    const width = Math.max(0, ...rows.map(({ id }) => id.length));
    for (const row of rows) printRow(row, width);
  },
});

interface Row {
  readonly id: string;
  readonly url: string;
  readonly description: string | undefined;
  readonly reachable?: boolean;
  readonly authorised?: boolean;
  readonly name?: string;
  readonly version?: string;
  readonly skills?: readonly string[];
}

function printRow({ id, url, description, reachable, authorised, name, version, skills }: Row, width: number): void {
  const label = screen.mark(oneLine(id).padEnd(width), 'bold');
  const known = description === undefined ? '' : `  ${oneLine(description)}`;
  if (reachable === undefined) return screen.writeMarked(`${label}  ${oneLine(url)}${known}`);
  if (!reachable) return screen.writeMarked(`${screen.mark('✗', 'red')} ${label}  ${oneLine(url)}  not reachable`);
  if (authorised === false)
    return screen.writeMarked(`${screen.mark('!', 'yellow')} ${label}  ${oneLine(url)}  not authorised`);
  const abilities = (skills ?? []).join(', ') || 'no skills';
  screen.writeMarked(
    `${screen.mark('✓', 'green')} ${label}  ${oneLine(url)}  ${oneLine(`${name}, A2A ${version}: ${abilities}`)}`,
  );
}

const CHECK_MS = 10_000;

async function check(id: string, peer: Peer, values: AgentValues): Promise<Row> {
  const row = { id, url: peer.url, description: peer.description };
  screen.showProgress('Reading the cards of the peers');
  try {
    const options = connectOptions(values, { name: id, target: peer.url, peer, taskId: undefined, again: [id] });
    const found = await tryDiscover(peer.url, { timeoutMs: CHECK_MS, ...options });
    if (found === null) return { ...row, reachable: false };
    const { card, version } = found;
    return {
      ...row,
      reachable: true,
      authorised: true,
      name: card.name,
      version,
      skills: card.skills.map((skill) => skill.id),
    };
  } catch (error) {
    if (A2AError.is(error)) return { ...row, reachable: true, authorised: false };
    throw error;
  }
}

function add({ file, peers }: PeersFile, name: string | undefined, url: string | undefined): void {
  if (name === undefined || url === undefined) throw new CliError('usage', 'Usage: tandem peers add <name> <url>');
  if (!/^\w[\w.-]*$/.test(name))
    throw new CliError(
      'usage',
      `A peer name must consist of letters, digits, '.', '-' and '_', and start with a letter, a digit or '_'`,
    );
  readAddress('<url>', url);
  writePeers({ file, peers: { ...peers, [name]: { ...peers[name], url } } });
  screen.notice(`Added ${name} (${url}) to ${file}`);
}

function remove(file: PeersFile, name: string | undefined): void {
  if (name === undefined) throw new CliError('usage', 'Usage: tandem peers remove <name>');
  peerNamed(name, file);
  const { [name]: _, ...peers } = file.peers;
  writePeers({ ...file, peers });
  screen.notice(`Removed ${name} from ${file.file}`);
}
