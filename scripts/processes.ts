import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Program {
  readonly name: string;
  readonly pid: number;
  /** Lines of standard output and standard error so far. */
  readonly lines: readonly string[];
  readonly exited: boolean;
  /** Sends the signal and waits for the exit; kills the program after `graceMs`. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
  /** Resolves when the program ends, even if it fails or is killed. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface ProgramOptions {
  name: string;
  /** Path of the script. */
  file: string;
  /** Interpreter. @default the Node.js of this process */
  runtime?: string;
  args?: string[];
  /** Options for Node.js. */
  nodeArgs?: string[];
  cwd: string;
  /** Its environment. It inherits only PATH, HOME and a few others from the parent's. */
  env: Record<string, string>;
  onLine?: (name: string, line: string) => void;
}

const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Memory settings of the companion, as in its container image and its systemd unit. */
export const companionMemory = { env: allocator, nodeArgs: ['--max-semi-space-size=16'] };

/** Memory settings of reconciliation, as in its README. It has few live objects. */
export const reconciliationMemory = { env: allocator, nodeArgs: ['--max-semi-space-size=4'] };

const inherited = [
  ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'SystemRoot', 'NO_COLOR', 'FORCE_COLOR'],
  'NODE_COMPILE_CACHE',
];

/**
 * Starts a program. One that runs on Node.js ends with this process, even when this process is
 * killed.
 */
export function startProgram(options: ProgramOptions): Program {
  const base = Object.fromEntries(
    inherited.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]])),
  );
  const onNode = options.runtime === undefined;
  const child: ChildProcess = spawn(
    options.runtime ?? process.execPath,
    [
      ...(onNode
        ? [
            '--disable-warning=ExperimentalWarning',
            ...(options.nodeArgs ?? []),
            ...['--import', new URL('leash.ts', import.meta.url).href],
          ]
        : []),
      options.file,
      ...(options.args ?? []),
    ],
    {
      cwd: options.cwd,
      env: { ...base, ...options.env },
      stdio: [onNode ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // Its own process group: Ctrl-C reaches only this process, which then ends the programs in
      // order.
      detached: process.platform !== 'win32',
    },
  );
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      options.onLine?.(options.name, line);
    });
  }
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
  }));
  const exited = () => child.exitCode !== null || child.signalCode !== null;
  return {
    name: options.name,
    pid: child.pid ?? 0,
    lines,
    ended,
    get exited() {
      return exited();
    },
    async stop(signal = 'SIGTERM', graceMs = 60_000) {
      if (!exited()) child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Waits until an address answers with 2xx.
 * @throws {Error} with the last lines of the program, when it ends first or `timeoutMs` passes
 */
export async function untilReady(program: Program, url: string, timeoutMs = 60_000): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  for (;;) {
    const answer = await fetch(url, { signal }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    if (program.exited || signal.aborted) {
      const reason = program.exited ? 'ended' : `did not become ready in ${timeoutMs / 1000} s`;
      const tail = program.lines.slice(-15).join('\n');
      throw new Error(`The ${program.name} ${reason}. Its last lines:\n${tail}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
