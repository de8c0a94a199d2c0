import { parentPort, workerData } from 'node:worker_threads';
import { createWindows, type PageAnswer } from '../../fundings/window.ts';
import { answerTo, Asker } from '../asking.ts';
import { digest, keyedHash } from './digest.ts';
import {
  failureOf,
  type PageQuestion,
  type PageReply,
  type ReadingData,
  type WindowQuestion,
  type WindowReply,
} from './messages.ts';
import { buffersOf, keepPacked, packWindow } from './packed-window.ts';

/**
 * The thread that reads windows for the one that writes them: it parses and compares pages, while
 * the other waits for the disk. Pages come from the main thread, which alone has the private key.
 */
const port = parentPort;
if (!port) throw new Error('This module is a thread of the companion.');
const { settings, personalKey, pages } = workerData as ReadingData;
const service = new Asker<PageQuestion, PageReply>(pages);
pages.on('message', (message: unknown) => service.hear(message));
const windows = createWindows({
  fetchPage: async (query) => freeable(await service.ask(query)),
  digest,
  ...(personalKey === undefined ? {} : { personal: { keyedHash: keyedHash(personalKey) } }),
  keep: keepPacked,
  settings,
});

/** Half a megabyte each: until the garbage collector thinks of them, dozens would have piled up. */
function freeable(answer: PageReply): PageAnswer {
  if (answer.kind === 'failed') return answer;
  return { ...answer, free: () => void answer.bytes.buffer.transfer(0) };
}

async function reply(question: WindowQuestion): Promise<WindowReply> {
  try {
    return question.kind === 'read'
      ? { kind: 'window', window: packWindow(await windows.read(question.day)) }
      : { kind: 'compared', isAsBefore: await windows.isAsBefore(question.before) };
  } catch (error) {
    return failureOf(error);
  }
}

answerTo(port, reply, (answer) => (answer.kind === 'window' ? buffersOf(answer.window) : []));
