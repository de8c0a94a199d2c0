/** One line of the log: what happened, with details that are never a name, an e-mail or a secret. */
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

/** JSON quoting where needed: a line break inside a value cannot forge a line of the log. */
function quoted(value: string): string {
  return /^[\w./:*@+-]+$/.test(value) ? value : JSON.stringify(value);
}
