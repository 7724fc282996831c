import { type ServeValues, startServing } from '../serve-agent.ts';
import { operationNotes, requestLog, withTaskLog } from './activity-log.ts';
import { isStop, type Listening } from './messages.ts';

/** Open connections delay a restart by at most this. */
const CUT_MS = 100;

/** The child process of `tandem dev`: serves the agents until its parent stops it or is gone. */
export async function runAgentProcess(files: readonly string[], values: ServeValues, port: string): Promise<void> {
  // A terminal sends Ctrl-C to both processes, and the parent decides.
  process.on('SIGINT', () => {});
  const stopped = new Promise<void>((resolve) => {
    process.on('message', (message) => void (isStop(message) && resolve()));
    process.on('disconnect', resolve);
  });
  const { announcement, server, store, crashes } = await startServing(
    files,
    { ...values, port: port === '' ? values.port : port },
    { middleware: requestLog, tracing: operationNotes, observe: withTaskLog },
  );
  crashes.attach(server);
  process.send?.({ type: 'listening', ...announcement, port: server.port } satisfies Listening);
  await Promise.race([stopped, crashes.crashed]);
  // Tasks that run resume in the next process, with the new code.
  await server.close({ finishMs: 0, cutMs: CUT_MS, afterCrash: crashes.hasCrashed });
  await store.close();
  process.exit(crashes.hasCrashed ? 1 : 0);
}
