// `callAgent` and `A2AClient` of agent-native.
import { A2AClient, callAgent } from '../node_modules/@agent-native/core/dist/a2a/client.js';
import { serveCalls } from './calls.mjs';

// The client logs each of its requests.
console.log = () => {};

/** Its client calls no private address unless the environment names its origin. @param {string} url */
function allow(url) {
  process.env['AGENT_NATIVE_A2A_ALLOWED_ORIGINS'] = url;
}

serveCalls({
  /** @param {{ url: string, text: string, options?: object, secret?: string }} args */
  callAgent: ({ url, text, options, secret }) => {
    allow(url);
    if (secret === undefined) delete process.env['A2A_SECRET'];
    else process.env['A2A_SECRET'] = secret;
    return callAgent(url, text, options);
  },
  /** @param {{ url: string }} args */
  card: ({ url }) => {
    allow(url);
    return new A2AClient(url).getAgentCard();
  },
  /** @param {{ url: string, message: any }} args */
  send: ({ url, message }) => {
    allow(url);
    return new A2AClient(url).send(message);
  },
  /** @param {{ url: string, message: any, options?: object }} args */
  sendAndWait: ({ url, message, options }) => {
    allow(url);
    return new A2AClient(url).sendAndWait(message, options);
  },
  /** @param {{ url: string, message: any }} args */
  stream: ({ url, message }) => {
    allow(url);
    return new A2AClient(url).stream(message);
  },
});
