import { writeSync } from 'node:fs';

/** Writes a line past Node's buffers: what was said has left the process. A reader who is slow is waited for. */
export function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;) rest = rest.subarray(tryWrite(rest));
}

function tryWrite(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
