import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Returns the number of threads that the first task of libuv's pool starts. */
function startedThreads(env: Record<string, string>): number {
  const script = `
    await import(${JSON.stringify(new URL('thread-pool.ts', import.meta.url).href)});
    const { readdirSync } = await import('node:fs');
    const { stat } = await import('node:fs/promises');
    const threads = () => readdirSync('/proc/self/task').length;
    const before = threads();
    await stat('/');
    console.log(threads() - before);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env,
  });
  return Number(stdout);
}

test.runIf(process.platform === 'linux')('has a thread for each statement that may run', () => {
  expect(startedThreads({})).toBe(8);
  expect(startedThreads({ UV_THREADPOOL_SIZE: '5' })).toBe(5);
});
