export { toExpress, type Middleware } from './express.ts';
export { type FastifyPlugin, type FastifyScope, toFastify } from './fastify.ts';
export { toNodeListener, type NodeListener } from './listener.ts';
export { type AgentServer, type CloseOptions, serve, type ServeOptions } from './serve.ts';
