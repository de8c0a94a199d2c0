import { print, say } from './exit.ts';
import { promptOf } from './prompt.ts';

/** The environment of a command. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Prints a line of the command's result. */
  print: (line: string) => void;
  /** Prints a line for the person who typed the command. */
  say: (line: string) => void;
  /**
   * Asks the person at the terminal. Returns the typed line; undefined for Ctrl-C, and for the end of
   * the input. Undefined without a terminal.
   */
  prompt?: ((question: string) => Promise<string | undefined>) | undefined;
}

export const processShell: Shell = {
  env: process.env,
  fetch: patientFetch,
  print,
  say,
  prompt: promptOf(process.stdin, process.stderr),
};

/**
 * Like `fetch`, without its limits of five minutes for a response and for each piece of it: an
 * import responds only after all lines are stored. Every request sets its own limit.
 */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const { Agent, fetch } = await import('undici');
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    // Set explicitly: a NODE_TLS_REJECT_UNAUTHORIZED for another purpose would expose the token.
    connect: { rejectUnauthorized: true },
  });
  const request = { ...init, dispatcher };
  // The library and Node declare the same type separately.
  return fetch(url, request as object);
}
