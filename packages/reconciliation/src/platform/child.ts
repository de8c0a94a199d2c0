import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a child process answers. */
type Answer<Result> = { result: Result } | { error: Error };

/** Of the environment, a child gets only what Node.js reads: no token and no password. */
const inherited = ['PATH', 'TZ', 'TMPDIR', 'SystemRoot', 'NODE_COMPILE_CACHE'];

/**
 * Runs a job in a process of its own, whose memory ends with it.
 * @param main entry point of the process, which calls {@link answerJob}
 * @throws the error of the job, or an error if the process ends without an answer
 */
export async function runInChild<Result>(main: URL, job: object): Promise<Result> {
  const child = fork(fileURLToPath(main), {
    serialization: 'advanced',
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4'],
    env: Object.fromEntries(
      inherited.flatMap((name) =>
        process.env[name] === undefined ? [] : [[name, process.env[name]]],
      ),
    ),
    // An error of a database quotes the file, so it reaches nothing but the caller.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const answered = Promise.withResolvers<Answer<Result>>();
  child.once('message', (answer) => answered.resolve(answer as Answer<Result>));
  child.once('error', answered.reject);
  child.once('exit', (code, signal) =>
    answered.reject(new Error(`A process ended without an answer (${signal ?? code}).`)),
  );
  try {
    child.send(job);
    const answer = await answered.promise;
    if ('error' in answer) throw answer.error;
    return answer.result;
  } finally {
    child.kill('SIGKILL');
  }
}

/** Runs the job that arrives in this process, which ends with its parent. */
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
