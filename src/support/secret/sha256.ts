/** The part of `node:crypto` that is used here. */
interface NodeCrypto {
  hash?(algorithm: 'sha256', text: string, encoding: 'base64'): string;
}

/**
 * Returns the SHA-256 of a text as base64: synchronously if the runtime can (Node since 20.12 and compatible ones),
 * otherwise as a promise. The module is loaded by name, because other runtimes do not have it.
 */
export function sha256(text: string): string | Promise<string> {
  const { hash } = nodeCrypto();
  return hash === undefined ? sha256Later(text) : hash('sha256', text, 'base64');
}

let known: NodeCrypto | undefined;

function nodeCrypto(): NodeCrypto {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): NodeCrypto | undefined };
  };
  return (known ??= process?.getBuiltinModule?.('node:crypto') ?? {});
}

async function sha256Later(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes));
}
