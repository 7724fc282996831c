import type { TestProject } from 'vitest/node';
import { startPostgres } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** What tests need of safety is that of a process that is killed; the power of this machine is not cut. */
const QUICK = ['fsync=off', 'full_page_writes=off', 'max_connections=200'];

/** One server for all tests, each of which has a schema of its own: the one that is named, or one that lives as long. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_POSTGRES_URL'] ?? '';
  if (given !== '') {
    project.provide('postgresUrl', given);
    return async () => {};
  }
  const server = await startPostgres(QUICK);
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
