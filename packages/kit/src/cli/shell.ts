/** The environment of a command. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Prints a line of the command's result. */
  print: (line: string) => void;
  /** Prints a line for the user, to standard error. */
  say: (line: string) => void;
}

/**
 * The shell of this process: results and logs go to standard output, everything else to standard
 * error.
 */
export const processShell: Shell = {
  env: process.env,
  fetch: patientFetch,
  print: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
};

/**
 * Like `fetch`, without the five-minute timeouts for the response headers and between body chunks:
 * every request sets its own timeout.
 */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const { Agent, fetch } = await import('undici');
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED, set for another purpose, would expose the
    // token.
    connect: { rejectUnauthorized: true },
  });
  const request = { ...init, dispatcher };
  // The types of undici and Node differ, but the parts used here are the same.
  return fetch(url, request as object);
}
