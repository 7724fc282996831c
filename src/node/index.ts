export { toExpress, type Middleware } from './express.ts';
export { type FastifyPlugin, toFastify } from './fastify.ts';
export { toNodeListener, type NodeListener } from './listener.ts';
export { type AgentServer, serve, type ServeOptions } from './serve.ts';
