import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Clock } from '../platform/clock.ts';
import { LedgerImportError } from './columns.ts';

/** Maximum milliseconds to wait for the next piece of a file. */
const IDLE_MS = 30_000;

/** Writes a stream to a file. @throws {LedgerImportError} if it stalls */
export async function receive(
  input: AsyncIterable<Uint8Array>,
  file: string,
  clock: Clock,
): Promise<{ digest: string; size: number }> {
  let size = 0;
  const hash = createHash('sha256');
  const output = createWriteStream(file, { mode: 0o600 });
  const pieces = input[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTime(pieces.next(), clock);
      if (next.done === true) break;
      hash.update(next.value);
      size += next.value.length;
      if (!output.write(next.value)) await once(output, 'drain');
    }
  } finally {
    output.end();
    await once(output, 'close');
  }
  return { digest: hash.digest('hex'), size };
}

function inTime<Value>(promise: Promise<Value>, clock: Clock): Promise<Value> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(IDLE_MS, () =>
      reject(
        new LedgerImportError(
          `The file stalled for ${IDLE_MS / 1000} seconds and nothing was imported: send it again.`,
        ),
      ),
    );
    promise.then(resolve, reject).finally(cancel);
  });
}
