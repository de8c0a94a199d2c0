import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import type { FuzzRequest } from './requests.ts';
import type { Ending } from './send.ts';
import type { Target } from './target.ts';

/** What is wrong with an ending or with a line of the log; undefined when nothing is. */
export type Fault = 'serverError' | 'hang' | 'cut' | 'leak';

export function faultOf(request: FuzzRequest, ending: Ending, target: Target): Fault | undefined {
  if (ending.how === 'hang') return 'hang';
  if (ending.how === 'closed' && mustBeAnswered(request)) return 'cut';
  if (ending.statuses.some((status) => status >= 500)) return 'serverError';
  return tells(ending.text, target) ? 'leak' : undefined;
}

/** As much of a request as a listener reads at once, in bytes. */
const AT_ONCE = 16_000;

/**
 * Whether closing the connection is no answer: HTTP allows the request, and it went over a
 * connection which the client was told it may keep. One that is refused while it is still being
 * sent may lose the answer, because TCP resets what is written to a connection that is closed.
 */
function mustBeAnswered(request: FuzzRequest): boolean {
  if (request.kind !== 'odd') return false;
  const { path, headers, body } = request;
  return `${path}${headers.join('')}`.length + (body?.byteLength ?? 0) < AT_ONCE;
}

/** A stack trace, a folder of this machine, the database's own words, or a key. */
const inside = [/\n\s+at \S.*:\d+:\d+/, /node:internal/, /\bSQLITE_/, /\bnode_modules\b/];

function tells(text: string, target: Target): boolean {
  return (
    inside.some((pattern) => pattern.test(text)) ||
    target.secrets.some((secret) => text.includes(secret))
  );
}

/** A log may name its own folders, never a key. */
export function logTells(line: string, target: Target): boolean {
  return target.secrets.some((secret) => !secret.startsWith('/') && line.includes(secret));
}

/** Resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout.trim()) * 1024;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
