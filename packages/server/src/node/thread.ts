import { type ResourceLimits, Worker } from 'node:worker_threads';

/** How a thread is started, and who hears of it. */
export interface ThreadOptions<Message> {
  /** Its main file, from this folder, without the extension: `./unit-thread-main`. */
  main: string;
  /** What the system's tools call it. */
  name: string;
  data: unknown;
  /** Without limits it would keep several times what lives at once before it clears away. */
  heap: Pick<ResourceLimits, 'maxYoungGenerationSizeMb' | 'maxOldGenerationSizeMb'>;
  onMessage: (message: Message) => void;
  /** Once: what went wrong in it, or else only that it has ended. */
  onEnd: (error: Error) => void;
}

/** Starts a thread of the companion. */
export function startThread<Message>(options: ThreadOptions<Message>): Worker {
  const { main, name, data, heap, onMessage } = options;
  // In the sources the file is TypeScript, which Node reads as it is.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const thread = new Worker(new URL(`${main}${extension}`, import.meta.url), {
    workerData: data,
    name,
    resourceLimits: heap,
  });
  let ended = false;
  const end = (error: unknown) => {
    if (ended) return;
    ended = true;
    options.onEnd(error instanceof Error ? error : new Error(`The thread "${name}" failed.`));
  };
  thread.on('message', onMessage);
  thread.on('error', end);
  thread.on('exit', () => end(new Error(`The thread "${name}" has ended.`)));
  return thread;
}

/** Tells a thread to end, and waits until it has. */
export async function endThread(thread: Worker, order: unknown): Promise<void> {
  thread.ref();
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  thread.postMessage(order);
  await ended;
}
