/** The card of the server that all clients call, because that server does not publish one. */
export function cardAt(port: number) {
  return {
    name: 'Bench',
    description: 'Does next to nothing.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `http://127.0.0.1:${port}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
}
