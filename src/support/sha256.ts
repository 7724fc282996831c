/** As much of `node:crypto` as is needed here. */
interface NodeCrypto {
  hash?(algorithm: 'sha256', text: string, encoding: 'base64'): string;
}

/**
 * The SHA-256 of a text as base64: at once where the runtime has a way to do so, which is Node since 20.12 and others that
 * follow it, else as a promise. Asked for by name, not imported, because this runs where there is no such module.
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
