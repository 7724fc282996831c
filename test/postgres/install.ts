import type { TestProject } from 'vitest/node';
import { startPostgres } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** Tests kill processes and never cut the power of the machine, so writes need not reach the disk. */
const WITHOUT_FSYNC = ['fsync=off', 'full_page_writes=off', 'max_connections=200'];

/** One server for all test files, each with a schema of its own: the one in `TEST_POSTGRES_URL`, or a new one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_POSTGRES_URL'] ?? '';
  if (given !== '') {
    project.provide('postgresUrl', given);
    return async () => {};
  }
  const server = await startPostgres(WITHOUT_FSYNC);
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
