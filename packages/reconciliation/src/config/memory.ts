import { totalmem } from 'node:os';

/** Memory in bytes. */
export interface AvailableMemory {
  /**
   * Limit of the process, such as the one of its cgroup. Without one, systems state 0 or more than
   * the machine has.
   */
  process: number;
  machine: number;
}

/** Memory limit of the analytics database. */
export interface MemoryLimit {
  /** In DuckDB's syntax: `256MB`. */
  memoryLimit: string;
  /** What the limit follows from: the variable, the process's limit or the machine's memory. */
  memorySource: 'variable' | 'process' | 'machine';
  /** Whether the limit is not above the smallest default. */
  isMemoryLeast: boolean;
}

const MB = 1_000_000;
/** A sync of a million records finishes with this much, though it writes temporary files. */
const LEAST_BYTES = 256 * MB;
/** The rest is for JavaScript, the in-memory databases of syncs and imports, and the file cache. */
const SHARE = 1 / 4;

/** @param stated value of the variable, a size */
export function memoryLimitOf(
  stated: string | undefined,
  { process, machine }: AvailableMemory,
): MemoryLimit {
  if (stated !== undefined) {
    const isMemoryLeast = bytesOf(stated) <= LEAST_BYTES;
    return { memoryLimit: stated, memorySource: 'variable', isMemoryLeast };
  }
  const isLimited = process > 0 && process < machine;
  const bytes = Math.max(LEAST_BYTES, (isLimited ? process : machine) * SHARE);
  return {
    memoryLimit: `${Math.floor(bytes / MB)}MB`,
    memorySource: isLimited ? 'process' : 'machine',
    isMemoryLeast: bytes === LEAST_BYTES,
  };
}

export function availableMemory(): AvailableMemory {
  return { process: process.constrainedMemory(), machine: totalmem() };
}

const sizeText = /^(\d{1,6}(?:\.\d{1,3})?)([KMGT])(i?)B$/i;

/** Returns whether a string is a size in DuckDB's syntax: `256MB`, `1.5GB`, `512MiB`. */
export function isSize(text: string): boolean {
  return sizeText.test(text);
}

/** Converts a size to bytes, as DuckDB reads it: 1 kB is 1,000 bytes, 1 KiB is 1,024. */
export function bytesOf(size: string): number {
  const [, count = '', unit = '', binary] = sizeText.exec(size) ?? [];
  const base = binary === '' ? 1_000 : 1_024;
  return Math.floor(Number(count) * base ** ('KMGT'.indexOf(unit.toUpperCase()) + 1));
}
