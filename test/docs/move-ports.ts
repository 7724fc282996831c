/**
 * Loaded into every program of a page. It replaces ports, so that all pages can use 4100 and are still checked concurrently: a
 * server that asks for a port gets a free one, which is written to a file named after the requested port. Connections to
 * the requested port go to the free one.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';

const PORTS = String(process.env['PAGE_PORTS']);
const { listen } = Server.prototype;
const { connect } = Socket.prototype;

function withPort(value: unknown): value is { port: unknown } {
  return typeof value === 'object' && value !== null && 'port' in value;
}

Server.prototype.listen = function (this: Server, ...args: unknown[]): Server {
  const [first, ...rest] = args;
  const asked = Number(withPort(first) ? first.port : first);
  if (!Number.isInteger(asked)) return Reflect.apply(listen, this, args) as Server;
  this.once('listening', () => {
    writeFileSync(join(PORTS, String(asked)), String((this.address() as AddressInfo).port));
  });
  return Reflect.apply(listen, this, [withPort(first) ? { ...first, port: 0 } : 0, ...rest]) as Server;
};

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  // `net.connect` passes its arguments as one array.
  const [first] = args;
  const options: unknown = Array.isArray(first) ? first[0] : first;
  if (withPort(options)) {
    const file = join(PORTS, String(options.port));
    if (existsSync(file)) options.port = Number(readFileSync(file, 'utf8'));
  }
  return Reflect.apply(connect, this, args) as Socket;
};
