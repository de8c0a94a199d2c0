import { parentPort, workerData } from 'node:worker_threads';
import { Calendar } from '../../fundings/calendar.ts';
import { reprice, repriceAll, type RepriceContext } from '../../fundings/reprice.ts';
import { runSync } from '../../fundings/sync.ts';
import type { PageAnswer } from '../../fundings/window.ts';
import { describeError } from '../../observe/logger.ts';
import { digest, keyedHash } from './digest.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { openBooks } from './place.ts';

/**
 * The thread of a sync: it parses, compares and writes, with a connection of its own. Pages come
 * from the main thread, which alone has the private key.
 */
const port = parentPort;
if (!port) throw new Error('This module is a thread of the companion.');
const { place, environment, settings, holder, task, personalKey } = workerData as ThreadData;
const say = (message: FromThread) => port.postMessage(message);

const waiting = new Map<number, (answer: PageAnswer) => void>();
let asked = 0;
const stop = new AbortController();
port.on('message', (message: ToThread) => {
  if (message.kind === 'stop') {
    stop.abort();
    return;
  }
  waiting.get(message.id)?.(freeable(message.answer));
  waiting.delete(message.id);
});

/** Half a megabyte each: until the garbage collector thinks of them, dozens would have piled up. */
function freeable(answer: PageAnswer): PageAnswer {
  if (answer.kind === 'failed') return answer;
  return { ...answer, free: () => void answer.bytes.buffer.transfer(0) };
}

try {
  const books = await openBooks(place, environment);
  try {
    if (task.kind === 'reprice') {
      const ctx: RepriceContext = {
        books,
        calendar: new Calendar(settings.zone),
        defaultCurrency: settings.defaultCurrency,
        now: () => Date.now(),
      };
      const count = await (task.orderKeys ? reprice(ctx, task.orderKeys) : repriceAll(ctx));
      say({ kind: 'repriced', count });
    } else {
      const run = await runSync(
        {
          environment,
          books,
          digest,
          holder,
          settings,
          stop: stop.signal,
          ...(personalKey === undefined ? {} : { personal: { keyedHash: keyedHash(personalKey) } }),
          onProgress: (progress) => say({ kind: 'progress', run: progress }),
          fetchPage: (query) =>
            new Promise((resolve) => {
              const id = ++asked;
              waiting.set(id, resolve);
              say({ kind: 'fetch', id, query });
            }),
        },
        task.request,
      );
      say({ kind: 'ended', run });
    }
  } finally {
    await books.close();
  }
} catch (error) {
  const { errorName = 'Error', frames = [] } = describeError(error);
  say({ kind: 'failed', name: errorName, frames, message: knownMessage(error) });
} finally {
  port.close();
}

/** Messages of ours; those of a database may hold values. */
function knownMessage(error: unknown): string {
  const ours = error instanceof Error && /^(?:SyncBusy|LeaseLost|SyncStopped)/.test(error.name);
  return ours ? error.message : '';
}
