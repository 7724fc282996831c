export { migratePostgres } from './pool.ts';
export { postgres, type PostgresStoreOptions } from './store.ts';
