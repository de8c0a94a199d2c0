import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@financing-checkout/kit';

/** The answer of a child process. */
type Answer<Result> = { result: Result } | { error: Error };

/** A job exceeded its time or memory, and its process was ended. */
export class ChildLimitError extends Error {
  override readonly name = 'ChildLimitError';
}

/** A job's limits. @default no limit */
export interface ChildLimits {
  limit?: { ms: number; clock: Clock };
  /** Maximum heap size in MiB, excluding buffers. */
  heapMb?: number;
  /** Maximum resident memory of the process in MiB. Enforced only on systems with `/proc`. */
  residentMb?: number;
  /** Ends the job. */
  signal?: AbortSignal | undefined;
}

/** A child inherits only the variables that Node.js reads, so that it gets no token or password. */
const inherited = ['PATH', 'TZ', 'TMPDIR', 'SystemRoot', 'NODE_COMPILE_CACHE'];
/** Milliseconds between memory measurements. */
const MEASURE_MS = 50;

/**
 * Runs a job in a separate process, so that its memory is freed.
 * @param main entry point of the process, which calls {@link answerJob}
 * @throws the error of the job, the reason of the signal, {@link ChildLimitError}, or an error if
 * the process ends without an answer
 */
export async function runInChild<Result>(
  main: URL,
  job: object,
  limits: ChildLimits = {},
): Promise<Result> {
  const { heapMb, limit, signal } = limits;
  signal?.throwIfAborted();
  const child = fork(fileURLToPath(main), {
    serialization: 'advanced',
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--max-semi-space-size=4',
      ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]),
    ],
    env: Object.fromEntries(
      inherited.flatMap((name) =>
        process.env[name] === undefined ? [] : [[name, process.env[name]]],
      ),
    ),
    // A database's error quotes the file, so only the caller may see it.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const answered = Promise.withResolvers<Answer<Result>>();
  const { reject } = answered;
  const leave = () => reject(signal?.reason as Error);
  child.once('message', (answer) => answered.resolve(answer as Answer<Result>));
  child.once('error', reject);
  child.once('exit', (code, ended) => {
    const message = `A process ended without an answer (${ended ?? code}).`;
    // Node.js aborts at the heap limit.
    reject(heapMb === undefined ? new Error(message) : new ChildLimitError(message));
  });
  signal?.addEventListener('abort', leave, { once: true });
  const stopClock = limit?.clock.after(limit.ms, () => {
    reject(new ChildLimitError('A job took too long.'));
  });
  const stopMeasuring = watchMemory(child, limits, reject);
  try {
    child.send(job);
    const answer = await answered.promise;
    if ('error' in answer) throw answer.error;
    return answer.result;
  } finally {
    stopMeasuring();
    stopClock?.();
    signal?.removeEventListener('abort', leave);
    child.kill('SIGKILL');
  }
}

/** Measures a process's resident memory from outside, because the process may be busy. */
function watchMemory(
  { pid }: ChildProcess,
  { residentMb }: ChildLimits,
  reject: (error: Error) => void,
): () => void {
  if (residentMb === undefined || pid === undefined) return () => undefined;
  const measure = async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kilobytes = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (kilobytes > residentMb * 1_024) reject(new ChildLimitError('A job took too much memory.'));
  };
  const timer = setInterval(() => void measure(), MEASURE_MS);
  return () => clearInterval(timer);
}

/** Runs the job that arrives in this process. The process ends with its parent. */
export function answerJob(work: (job: never) => Promise<unknown>): void {
  process.once('disconnect', () => process.exit());
  const answer = (answered: Answer<unknown>) => process.send?.(answered);
  process.once('message', (job: unknown) => {
    void work(job as never).then(
      (result) => answer({ result }),
      (error: unknown) => answer({ error: error as Error }),
    );
  });
}
