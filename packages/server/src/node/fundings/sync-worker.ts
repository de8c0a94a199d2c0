import { parentPort, workerData } from 'node:worker_threads';
import { Calendar } from '../../fundings/calendar.ts';
import { reprice, repriceAll, type RepriceContext } from '../../fundings/reprice.ts';
import { helpSync } from '../../fundings/shared-days.ts';
import { runSync, type SyncOptions } from '../../fundings/sync.ts';
import { digest } from './digest.ts';
import { failureOf, type FromThread, type ThreadData } from './messages.ts';
import { openBooks } from './place.ts';
import { openWindows } from './reading-thread.ts';

/** The thread of a sync: it compares what another one reads, and writes, with its own connection. */
const port = parentPort;
if (!port) throw new Error('This module is a thread of the companion.');
const { place, environment, settings, holder, task } = workerData as ThreadData;
const say = (message: FromThread) => port.postMessage(message);

const stop = new AbortController();
port.on('message', () => stop.abort());

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
      const windows = openWindows(task.reading);
      try {
        const options: SyncOptions = {
          environment,
          books,
          windows,
          digest,
          holder,
          settings,
          stop: stop.signal,
          onProgress: (progress) => say({ kind: 'progress', run: progress }),
        };
        if (task.kind === 'help') say({ kind: 'helped', count: await helpSync(options) });
        else say({ kind: 'ended', run: await runSync(options, task.request) });
      } finally {
        await windows.close();
      }
    }
  } finally {
    await books.close();
  }
} catch (error) {
  say(failureOf(error));
} finally {
  port.close();
}
