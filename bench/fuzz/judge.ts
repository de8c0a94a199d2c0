import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import type { FuzzRequest } from './requests.ts';
import type { Ending } from './send.ts';
import type { Target } from './target.ts';

/** Kind of problem that the ending of a request or a log line shows. */
export type Fault = 'serverError' | 'hang' | 'cut' | 'leak';

export function faultOf(request: FuzzRequest, ending: Ending, target: Target): Fault | undefined {
  if (ending.how === 'hang') return 'hang';
  if (ending.how === 'closed' && mustBeAnswered(request)) return 'cut';
  if (ending.statuses.some((status) => status >= 500) && !isOfCoding(ending)) return 'serverError';
  return tells(ending.text, target) ? 'leak' : undefined;
}

/**
 * Returns whether the answer refuses an unknown transfer coding, which HTTP answers with 501 (RFC
 * 9112 6.1).
 */
function isOfCoding({ statuses, text }: { statuses: readonly number[]; text: string }): boolean {
  const refused = text.split('"code":"transfer-coding-unsupported"').length - 1;
  return statuses.filter((status) => status >= 500).length === refused;
}

/** Bytes of a request that a listener reads at once. */
const AT_ONCE = 16_000;

/**
 * Returns whether closing the connection is a fault: HTTP allows the request, the client may keep the
 * connection, and the listener reads the request at once. A larger request that is refused while it is
 * being sent may lose its answer, because TCP resets data that is written to a closed connection.
 */
function mustBeAnswered(request: FuzzRequest): boolean {
  if (request.kind !== 'odd') return false;
  const { path, headers, body } = request;
  return `${path}${headers.join('')}`.length + (body?.byteLength ?? 0) < AT_ONCE;
}

/** Signs of a stack trace, a folder or a database error in an answer. */
const inside = [/\n\s+at \S.*:\d+:\d+/, /node:internal/, /\bSQLITE_/, /\bnode_modules\b/];

function tells(text: string, target: Target): boolean {
  return (
    inside.some((pattern) => pattern.test(text)) ||
    target.secrets.some((secret) => text.includes(secret))
  );
}

/** Returns whether a log line contains a key. A log may name its own folders. */
export function logTells(line: string, target: Target): boolean {
  return target.secrets.some((secret) => !secret.startsWith('/') && line.includes(secret));
}

/** Returns the resident memory of a process in bytes. */
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
