/** One thing that happened. Values are never names, e-mail addresses or keys. */
export interface LogEntry {
  level: 'info' | 'error';
  /** Who says it: api, hosted, control, notifications, sandbox. */
  part: string;
  message: string;
  fields?: Readonly<Record<string, string | number | null>>;
}

export type Log = (entry: LogEntry) => void;

/** A log of one line per entry, for a person (`text`) or a program (`json`). */
export function createLog(
  format: 'text' | 'json',
  write: (line: string) => void,
  now: () => number = Date.now,
): Log {
  return ({ level, part, message, fields = {} }) => {
    const time = new Date(now()).toISOString();
    if (format === 'json') {
      write(JSON.stringify({ time, level, part, message, ...fields }) + '\n');
      return;
    }
    const details = Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}=${String(value)}`);
    const mark = level === 'error' ? 'ERROR ' : '';
    write([`${time} ${mark}${part.padEnd(7)} ${message}`, ...details].join('  ') + '\n');
  };
}

/**
 * What failed unexpectedly, and where. Its text may hold anything and is left out, but for what
 * SQLite says of its code: "database or disk is full".
 */
export function failure(error: Error): string {
  const at = (error.stack ?? '').split('\n').find((line) => line.trim().startsWith('at ')) ?? '';
  const said = 'errstr' in error ? ` (${String(error.errstr)})` : '';
  return `${error.name}${said} ${at.trim()}`;
}

/** For a sandbox inside another program's tests. */
export const silent: Log = () => undefined;
