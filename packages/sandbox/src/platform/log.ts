/** One log entry. It contains no names of people, email addresses or keys. */
export interface LogEntry {
  level: 'info' | 'error';
  /** Source of the entry: api, hosted, control, notifications, sandbox. */
  part: string;
  message: string;
  fields?: Readonly<Record<string, string | number | null>>;
}

export type Log = (entry: LogEntry) => void;

/** Creates a log with one line per entry, for people (`text`) or programs (`json`). */
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
 * Describes an unexpected error and its location. It omits the error message, which may contain
 * anything, but keeps SQLite's text for an error code: "database or disk is full".
 */
export function failure(error: Error): string {
  const at = (error.stack ?? '').split('\n').find((line) => line.trim().startsWith('at ')) ?? '';
  const sqliteText = 'errstr' in error ? ` (${String(error.errstr)})` : '';
  return `${error.name}${sqliteText} ${at.trim()}`;
}

/** Logs nothing, for a sandbox within another program's tests. */
export const silent: Log = () => undefined;
