import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Windows } from '../../fundings/window.ts';
import { Asker } from './asking.ts';
import { errorOf, type ReadingData, type WindowQuestion, type WindowReply } from './messages.ts';

/** Memory of the thread: pages come and go, and a day of many thousand records has to fit. */
const YOUNG_MB = 12;
const OLD_MB = 512;

/** Windows that are read in a thread of their own, which ends with `close`. */
export function openWindows(data: ReadingData): Windows & { close(): Promise<unknown> } {
  // Beside this module, whether it is built or run from its source.
  const file = new URL(`./reading-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(file, {
    workerData: data,
    transferList: [data.pages],
    name: 'fundings-reading',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
  });
  const reader = new Asker<WindowQuestion, WindowReply>(thread);
  thread.on('error', (error: Error) => reader.fail(error));
  thread.on('exit', () => {
    reader.fail(new Error('The thread that reads ended before the sync did.'));
  });

  async function answered(question: WindowQuestion) {
    const reply = await reader.ask(question);
    if (reply.kind === 'failed') throw errorOf(reply);
    return reply;
  }

  return {
    async read(day) {
      const reply = await answered({ kind: 'read', day });
      if (reply.kind !== 'window') throw new Error('A window was asked for.');
      return reply.window;
    },
    async isAsBefore(before) {
      const reply = await answered({ kind: 'compare', before });
      if (reply.kind !== 'compared') throw new Error('A comparison was asked for.');
      return reply.isAsBefore;
    },
    close: () => thread.terminate(),
  };
}
