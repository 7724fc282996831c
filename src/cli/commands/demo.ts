import type { Task } from '../../model/task.ts';
import { decodeParams, type Dialect, operationCodec } from '../../wire/dialect.ts';
import { encodeRequest, encodeSuccess } from '../../wire/jsonrpc.ts';
import { dialects } from '../../wire/select.ts';

/** What a client of 2025 sends. */
const REQUEST = {
  id: 'task-1',
  sessionId: 'session-1',
  message: { role: 'user', parts: [{ type: 'text', text: 'Good morning' }] },
};

const ANSWER: Task = {
  id: 'task-1',
  contextId: 'session-1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-03-12T10:00:00.000Z' },
  artifacts: [{ artifactId: 'artifact-0', name: 'response', parts: [{ text: 'Bonjour' }] }],
};

const SHOWN: readonly Dialect[] = [dialects.v01, dialects.v02, dialects.v03, dialects.v1];

/** Reads one request of 0.1 and writes it, and an answer to it, in the words of every version. */
export function demo(): void {
  const { value: request } = decodeParams(dialects.v01, 'SendMessage', REQUEST, { newId: () => 'message-1' });
  print('One request, read from A2A 0.1 and written in every version; one answer likewise.\n');
  for (const dialect of SHOWN) {
    const { method, params, result } = operationCodec(dialect, 'SendMessage');
    print(`A2A ${dialect.version}`);
    print(`  -> ${JSON.stringify(encodeRequest(1, method, params.encode(request) as object))}`);
    print(`  <- ${JSON.stringify(encodeSuccess(1, result.encode({ task: ANSWER })))}\n`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
