import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock/clock.ts';
import { Secret } from '../keys/secret.ts';
import type { ImportReport } from '../reconciliation/ledger/import-report.ts';
import { createLedgerImport } from '../reconciliation/ledger/ledger-import.ts';
import {
  type FromLedgerThread,
  ledgerErrors,
  type LedgerThreadData,
  type ToLedgerThread,
} from './ledger-thread.ts';
import { createStore } from './store.ts';
import { tellError } from './thread.ts';

/** Pieces that wait here, or are on their way here: a megabyte at most. */
const PIECES = 16;
/** Who waits for the file looks once a millisecond whether it is free. */
const PAUSE_MS = 2;

const port = parentPort;
if (!port) throw new Error('This file is the main file of a thread.');
const { environment, store: place, task } = workerData as LedgerThreadData;
const say = (message: FromLedgerThread) => port.postMessage(message);

const arrived: ToLedgerThread[] = [];
let wake: () => void = () => undefined;
port.on('message', (message: ToLedgerThread) => {
  arrived.push(message);
  wake();
});

/** The file, piece by piece, as the main thread reads it. */
async function* pieces(): AsyncGenerator<Uint8Array> {
  say({ kind: 'room', pieces: PIECES });
  for (;;) {
    const next = arrived.shift();
    if (next === undefined) {
      await new Promise<void>((resolve) => (wake = resolve));
    } else if (next.kind === 'end') {
      return;
    } else if (next.kind === 'broken') {
      throw new Error('The file breaks off.');
    } else {
      yield next.bytes;
      // At once: dozens would have piled up until the garbage collector thinks of them.
      next.bytes.buffer.transfer(0);
      say({ kind: 'room', pieces: 1 });
    }
  }
}

async function work(): Promise<ImportReport | number> {
  const store = await createStore(
    place.kind === 'sqlite' ? place : { ...place, url: new Secret(place.url) },
  );
  try {
    const imports = createLedgerImport({
      environment,
      store,
      clock: systemClock,
      pause: () => setTimeout(PAUSE_MS),
    });
    return await (task.kind === 'run' ? imports.run(pieces(), task.options) : imports.resume());
  } finally {
    await store.close();
  }
}

try {
  say({ kind: 'done', result: await work() });
} catch (error) {
  say({ kind: 'failed', error: tellError(error, ledgerErrors) });
} finally {
  port.close();
}
