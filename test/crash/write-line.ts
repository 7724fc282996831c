import { writeSync } from 'node:fs';

/** Writes a line without Node's buffers: when this returns, the line has left the process. Blocks while the pipe is full. */
export function writeLine(line: string): void {
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
