import type { Windows } from '../../fundings/window.ts';
import { Asker } from '../asking.ts';
import { startThread } from '../thread.ts';
import { causeOf, type ReadingData, type WindowQuestion, type WindowReply } from './messages.ts';
import { unpackWindow } from './packed-window.ts';

/** Pages come and go, and a day of many thousand records has to fit. */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 };

/** Windows that are read in a thread of their own, which ends with `close`. */
export function openWindows(data: ReadingData): Windows & { close(): Promise<unknown> } {
  const thread = startThread({
    main: './fundings/reading-worker',
    name: 'fundings-reading',
    data,
    transfer: [data.pages],
    heap: HEAP,
    onMessage: (message) => reader.hear(message),
    onEnd: (error) => reader.fail(error),
  });
  const reader = new Asker<WindowQuestion, WindowReply>(thread);

  async function answered(question: WindowQuestion) {
    const reply = await reader.ask(question);
    if (reply.kind === 'failed') throw causeOf(reply);
    return reply;
  }

  return {
    async read(day) {
      const reply = await answered({ kind: 'read', day });
      if (reply.kind !== 'window') throw new Error('A window was asked for.');
      return unpackWindow(reply.window);
    },
    async isAsBefore(before) {
      const reply = await answered({ kind: 'compare', before });
      if (reply.kind !== 'compared') throw new Error('A comparison was asked for.');
      return reply.isAsBefore;
    },
    close: () => thread.terminate(),
  };
}
