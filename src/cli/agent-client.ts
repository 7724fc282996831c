import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { StreamResponse } from '../model/event.ts';
import type { Message } from '../model/message.ts';
import { decodeCard } from '../wire/card-forms.ts';
import { usableInterfaces } from '../wire/choose-interface.ts';
import { decodeResult, operationCodec, PROTOCOL_VERSIONS } from '../wire/dialect.ts';
import { decodeResponse, encodeRequest } from '../wire/jsonrpc.ts';
import { dialectOf } from '../wire/select.ts';
import { readSse } from '../wire/sse-stream.ts';
import { CliError } from './cli-error.ts';

/** Reads the card of an agent, where agents of today or of 0.2 have it. */
async function findCard(base: string, signal: AbortSignal | null): Promise<AgentCard> {
  const headers = { accept: 'application/json', 'a2a-version': '1.0' };
  const [place, older] = ['agent-card.json', 'agent.json'].map((name) => `${base}/.well-known/${name}`);
  let response = await fetch(place ?? '', { headers, signal });
  if (response.status === 404) response = await fetch(older ?? '', { headers, signal });
  if (response.ok) return decodeCard(await jsonOf(response)).value;
  const kind = response.status === 401 || response.status === 403 ? 'auth' : 'failure';
  throw new CliError(kind, `There is no agent card to be had at ${place}: HTTP ${response.status}`);
}

/** Sends a message, over the first interface of the agent's card that we speak. The answer may be one item only. */
export async function* send(
  url: string,
  message: Message,
  signal: AbortSignal | null,
): AsyncGenerator<StreamResponse, void> {
  const card = await findCard(url.replace(/\/+$/, ''), signal);
  const [chosen] = usableInterfaces(card, { bindings: ['JSONRPC'], versions: PROTOCOL_VERSIONS });
  if (chosen === undefined) throw new CliError('failure', 'The agent does not speak JSON-RPC, as tandem send does');
  const { tenant } = chosen.interface;
  const dialect = dialectOf(chosen.version);
  const operation = card.capabilities.streaming === true ? 'SendStreamingMessage' : 'SendMessage';
  const { method, params } = operationCodec(dialect, operation);
  const input = params.encode(tenant === undefined ? { message } : { tenant, message }) as object;
  const response = await fetch(chosen.interface.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'a2a-version': chosen.version,
    },
    body: JSON.stringify(encodeRequest(1, method, input)),
    signal,
  });
  const read = (json: unknown): StreamResponse => {
    const reply = decodeResponse(json);
    if (reply.error !== undefined) throw dialect.errors.decodeRpc(reply.error);
    return decodeResult(dialect, operation, reply.result).value;
  };
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) yield read(await jsonOf(response));
  else for await (const { data } of readSse(response.body)) yield read(JSON.parse(data));
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { url, status } = response;
    throw new A2AError('INVALID_AGENT_RESPONSE', `${url} answered ${status}, and not with JSON`, { cause });
  }
}
