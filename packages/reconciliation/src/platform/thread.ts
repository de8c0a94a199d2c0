import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import type { Clock } from '@financing-checkout/kit';
import { Mutex } from './mutex.ts';

/** The maximum number of jobs is already waiting. */
export class ThreadBusyError extends Error {
  override readonly name = 'ThreadBusyError';
}

/** A job timed out, and its thread was terminated. */
export class ThreadTimeoutError extends Error {
  override readonly name = 'ThreadTimeoutError';
}

export interface ThreadOptions {
  name: string;
  /** Entry point of the thread, which calls {@link answerJobs}. */
  main: URL;
  /**
   * Without limits, a worker's heap grows to several times its live memory before garbage
   * collection.
   */
  resourceLimits: ResourceLimits;
  /** Maximum number of jobs waiting behind the running one. @default unlimited */
  maxWaiting?: number;
  /** Timeout of a job. @default none */
  limit?: { ms: number; clock: Clock };
}

/**
 * Runs jobs in a worker thread, one at a time, in order. The thread starts with the first job and
 * is restarted after a failure.
 */
export class Thread<Job, Result> {
  readonly #options: ThreadOptions;
  readonly #turns = new Mutex();
  #thread: Worker | undefined;
  /** Number of running and waiting jobs. */
  #jobs = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * Sends a job to the thread and returns its result.
   * @param signal removes a waiting job from the queue, or ends a running job together with its
   * thread
   * @throws {ThreadBusyError}, {ThreadTimeoutError}, or the reason of the signal
   */
  async run(job: Job, signal?: AbortSignal): Promise<Result> {
    const { maxWaiting = Infinity, name } = this.#options;
    if (this.#jobs > maxWaiting) throw new ThreadBusyError(`The thread "${name}" is busy.`);
    this.#jobs += 1;
    try {
      return await this.#turns.run(() => this.#answer(job, signal), signal);
    } finally {
      this.#jobs -= 1;
      // An idle thread does not keep the process alive.
      if (this.#jobs === 0) this.#thread?.unref();
    }
  }

  /** Ends the thread; a running job fails. */
  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #answer(job: Job, signal: AbortSignal | undefined): Promise<Result> {
    const { limit, name } = this.#options;
    signal?.throwIfAborted();
    this.#thread ??= this.#start();
    const thread = this.#thread;
    thread.ref();
    const answered = Promise.withResolvers<Result>();
    const { reject } = answered;
    const leave = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', leave, { once: true });
    const stopClock = limit?.clock.after(limit.ms, () => {
      reject(new ThreadTimeoutError(`A job of the thread "${name}" took too long.`));
    });
    const exit = () => reject(new Error(`The thread "${name}" has ended.`));
    thread.once('message', answered.resolve).once('error', reject).once('exit', exit);
    try {
      thread.postMessage(job);
      return await answered.promise;
    } catch (error) {
      await this.#end(thread);
      throw error;
    } finally {
      stopClock?.();
      signal?.removeEventListener('abort', leave);
      thread.off('message', answered.resolve).off('error', reject).off('exit', exit);
    }
  }

  async #end(thread: Worker): Promise<void> {
    this.#thread = undefined;
    await thread.terminate();
  }

  #start(): Worker {
    const { main, name, resourceLimits } = this.#options;
    const thread = new Worker(main, { name, resourceLimits });
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    // The running job reports the error. Without a listener, the error would end the process.
    thread.on('error', () => undefined);
    return thread;
  }
}

/**
 * Returns the URL of an entry point in a module's folder. In the source tree, the entry point is
 * TypeScript, which Node runs directly.
 * @param name file name without extension @param module `import.meta.url` of the module
 */
export function mainBeside(name: string, module: string): URL {
  return new URL(`./${name}${module.endsWith('.ts') ? '.ts' : '.js'}`, module);
}

/** Runs the jobs that arrive in this thread. A failure ends the thread and fails its job. */
export function answerJobs(work: (job: never) => unknown): void {
  const answer = async (job: never) => parentPort?.postMessage(await work(job));
  parentPort?.on('message', (job: unknown) => void answer(job as never));
}
