/** The environment of a command. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Prints a line of the command's result. */
  print: (line: string) => void;
  /** Prints a line for the person who typed the command. */
  say: (line: string) => void;
}

/** The shell of this process: results and logs go to standard output, all else to standard error. */
export const processShell: Shell = {
  env: process.env,
  fetch: patientFetch,
  print: (line) => void process.stdout.write(`${line}\n`),
  say: (line) => void process.stderr.write(`${line}\n`),
};

/**
 * Like `fetch`, without its limits of five minutes for a response and for each piece of it: every request
 * sets its own limit.
 */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const { Agent, fetch } = await import('undici');
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    // Explicit: a NODE_TLS_REJECT_UNAUTHORIZED for another purpose would expose the token.
    connect: { rejectUnauthorized: true },
  });
  const request = { ...init, dispatcher };
  // The types of undici and Node differ; the used part is the same.
  return fetch(url, request as object);
}
