/** One thing that happened. Values are never names, e-mail addresses or keys. */
export interface LogEntry {
  level: 'info' | 'error';
  /** Which listener: api, hosted, control, sandbox. */
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

/** For a sandbox inside another program's tests. */
export const silent: Log = () => undefined;
