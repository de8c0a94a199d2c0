/** Writes a line to the log. The details must not contain a name, an e-mail address or a secret. */
export type Log = (
  level: 'info' | 'warn' | 'error',
  event: string,
  details?: Record<string, string | number>,
) => void;

/** Writes `2026-11-20T10:00:00.000Z info request method=GET route=/ status=200`. */
export const consoleLog: Log = (level, event, details = {}) => {
  const pairs = Object.entries(details).map(([name, value]) => ` ${name}=${quoted(String(value))}`);
  console[level](`${new Date().toISOString()} ${level} ${event}${pairs.join('')}`);
};

/** Quotes a value as JSON where needed, so that a line break in it cannot forge a log line. */
function quoted(value: string): string {
  return /^[\w./:*@+-]+$/.test(value) ? value : JSON.stringify(value);
}
