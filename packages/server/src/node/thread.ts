import { type MessagePort, type ResourceLimits, Worker } from 'node:worker_threads';
import { describeError } from '../observe/logger.ts';

/** How a thread is started, and who hears of it. */
export interface ThreadOptions<Message> {
  /** Its main file, from this folder, without the extension: `./unit-thread-main`. */
  main: string;
  /** What the system's tools call it. */
  name: string;
  data: unknown;
  /** What of the data is handed over. */
  transfer?: MessagePort[];
  /** Without limits it would keep several times what lives at once before it clears away. */
  heap: Pick<ResourceLimits, 'maxYoungGenerationSizeMb' | 'maxOldGenerationSizeMb'>;
  onMessage: (message: Message) => void;
  /** Once: what went wrong in it, or else only that it has ended. */
  onEnd: (error: Error) => void;
}

/** Starts a thread of the companion. */
export function startThread<Message>(options: ThreadOptions<Message>): Worker {
  const { main, name, data, transfer = [], heap, onMessage } = options;
  // In the sources the file is TypeScript, which Node reads as it is.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const thread = new Worker(new URL(`${main}${extension}`, import.meta.url), {
    workerData: data,
    transferList: transfer,
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

/** An error as another thread may hear of it. */
export interface ToldError {
  name: string;
  /** Empty unless the error is one of ours: a database's may hold values. */
  message: string;
  /** That of a database or the system, also of what one of ours was caused by. */
  code?: string | undefined;
  /** Where it was thrown. */
  frames: string[];
}

/** Errors of ours, by name: their messages hold no values. */
export type OwnErrors = Readonly<Record<string, new (message: string) => Error>>;

/** What a thread tells of an error; see {@link errorOf}. */
export function tellError(error: unknown, own: OwnErrors): ToldError {
  const { errorName = 'Error', code, frames = [] } = describeError(error);
  const isOwn = error instanceof Error && Object.values(own).some((type) => error instanceof type);
  return { name: errorName, message: isOwn ? error.message : '', code, frames };
}

/** The error that was told: one of ours again, or one with the same name, code and frames. */
export function errorOf({ name, message, code, frames }: ToldError, own: OwnErrors): Error {
  const Own = Object.hasOwn(own, name) ? own[name] : undefined;
  const error = Own ? new Own(message) : new Error(`The thread failed (${name}).`);
  if (!Own) error.name = name;
  error.stack = [`${name}: ${error.message}`, ...frames].join('\n    ');
  return code === undefined ? error : Object.assign(error, { code });
}
