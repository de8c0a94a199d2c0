import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Program } from '../../scripts/processes.ts';

/** What a process has used. */
export interface Usage {
  userSeconds: number;
  systemSeconds: number;
  /** Page faults without input. */
  minorFaults: number;
}

let ticks: number | undefined;

/** Returns what all threads of a process have used so far. Linux only. */
export function usageOf(pid: number): Usage {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name is in parentheses and may contain blanks: the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [minorFaults = 0, user = 0, system = 0] = [fields[7], fields[11], fields[12]].map(Number);
  return { userSeconds: user / ticks, systemSeconds: system / ticks, minorFaults };
}

/** Returns undefined if the process has ended, and where the system does not state it. */
function usageIfStated(pid: number): Usage | undefined {
  try {
    return usageOf(pid);
  } catch {
    return undefined;
  }
}

/** Returns processor seconds, user and system. */
export function cpuSeconds({ userSeconds, systemSeconds }: Usage): number {
  return userSeconds + systemSeconds;
}

function difference(later: Usage, earlier: Usage): Usage {
  return {
    userSeconds: later.userSeconds - earlier.userSeconds,
    systemSeconds: later.systemSeconds - earlier.systemSeconds,
    minorFaults: later.minorFaults - earlier.minorFaults,
  };
}

/** Returns the peak resident memory of a process, in MB. Linux only. */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

const SAMPLE_MS = 100;

/** Samples what a process uses, from its start to its end, to be looked up later for any period. */
export class UsageSamples {
  readonly #pid: number;
  readonly #samples: { at: number; usage: Usage }[] = [];

  constructor({ pid, ended }: Program) {
    this.#pid = pid;
    this.#take();
    const timer = setInterval(() => this.#take(), SAMPLE_MS).unref();
    void ended.then(() => clearInterval(timer));
  }

  #take(): void {
    const usage = usageIfStated(this.#pid);
    if (usage) this.#samples.push({ at: performance.now(), usage });
  }

  /** Returns what the process used between two moments of `performance.now`. @param to @default now */
  between(from: number, to?: number): Usage {
    if (to === undefined) this.#take();
    const at = (moment = Infinity) =>
      this.#samples.find((sample) => sample.at >= moment) ?? this.#samples.at(-1);
    const [earlier, later] = [at(from), at(to)];
    if (earlier === undefined || later === undefined) throw new Error('The process was not there.');
    return difference(later.usage, earlier.usage);
  }
}

/** Runs a task, and measures how long it takes and how much processor time the given processes use. */
export async function timed<Result>(
  work: () => Promise<Result>,
  ...pids: number[]
): Promise<{ result: Result; seconds: number; cpuSeconds: number }> {
  const used = () => pids.reduce((sum, pid) => sum + cpuSeconds(usageOf(pid)), 0);
  const [started, before] = [performance.now(), used()];
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  return { result, seconds, cpuSeconds: used() - before };
}

/** Sends requests whose answers may take any time, because machines differ. */
export const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

const CHECK_MS = 5_000;
/** A program that uses less of a processor for this long, and logs nothing, is stuck. */
const [STUCK_SHARE, STUCK_MS] = [0.02, 600_000];
/** Time for the end of a program to be noticed after a connection to it broke. */
const NOTICE_MS = 2_000;

/**
 * Waits for a task of a program as long as the program makes progress, however slow the machine is.
 * @throws {Error} with the last lines of the program, if it ends first or makes no progress
 */
export async function attended<Result>(
  program: Program,
  work: () => Promise<Result>,
): Promise<Result> {
  // The bench causes lines of requests itself, while it asks whether a task has ended.
  const said = () => program.lines.filter((line) => !line.includes('"event":"request"'));
  const failure = (what: string) =>
    new Error(`The ${program.name} ${what}. Its last lines:\n${said().slice(-20).join('\n')}`);
  const over = program.ended.then(({ code, signal }) => {
    throw failure(`ended (${signal ?? `exit code ${code}`}) while the bench waited for it`);
  });
  const stuck = Promise.withResolvers<never>();
  let progress = { at: performance.now(), lines: said().length, cpu: 0 };
  const timer = setInterval(() => {
    const usage = usageIfStated(program.pid);
    const [at, lines] = [performance.now(), said().length];
    const cpu = usage === undefined ? 0 : cpuSeconds(usage);
    const ms = at - progress.at;
    const isBusy = usage === undefined || cpu - progress.cpu > (STUCK_SHARE * ms) / 1000;
    if (lines > progress.lines || isBusy) progress = { at, lines, cpu };
    else if (ms > STUCK_MS) stuck.reject(failure(`made no progress for ${STUCK_MS / 60_000} min`));
  }, CHECK_MS);
  const result = (async () => {
    try {
      return await work();
    } catch (error) {
      await Promise.race([over, pause(NOTICE_MS)]);
      throw error;
    }
  })();
  try {
    return await Promise.race([result, over, stuck.promise]);
  } finally {
    clearInterval(timer);
  }
}
