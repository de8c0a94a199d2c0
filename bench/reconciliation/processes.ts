import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

let ticks: number | undefined;

/** Returns the processor time of a process so far, user and system, in microseconds. Linux only. */
export function cpuMicros(pid: number): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name is in parentheses and may contain blanks: the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0] = [fields[11], fields[12]].map(Number);
  return ((user + system) / ticks) * 1e6;
}

/** Returns the peak resident memory of a process, in MB. Linux only. */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Samples the processor time of processes, to be looked up later for any moment. */
export class CpuSamples {
  readonly #pids: readonly number[];
  readonly #samples: { at: number; micros: number[] }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pids: readonly number[], everyMs = 100) {
    this.#pids = pids;
    this.#take();
    this.#timer = setInterval(() => this.#take(), everyMs);
  }

  #take(): void {
    this.#samples.push({ at: performance.now(), micros: this.#pids.map(cpuMicros) });
  }

  /**
   * Ends the sampling. @returns the time that each process used since the first sample, until a
   * moment and until now
   */
  end(moment: number): { until: number[]; inAll: number[] } {
    clearInterval(this.#timer);
    this.#take();
    const [first] = this.#samples;
    const since = (sample: { micros: number[] } | undefined) =>
      (sample?.micros ?? []).map((micros, index) => micros - (first?.micros[index] ?? 0));
    return {
      until: since(this.#samples.find(({ at }) => at >= moment) ?? this.#samples.at(-1)),
      inAll: since(this.#samples.at(-1)),
    };
  }
}

/** Runs a task and measures its duration. */
export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; seconds: number }> {
  const started = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - started) / 1000 };
}
