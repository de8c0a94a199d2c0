import { print, say } from './exit.ts';

/** The environment of a command. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Prints a line of the command's result. */
  print: (line: string) => void;
  /** Prints a line for the user. */
  say: (line: string) => void;
}

export const processShell: Shell = { env: process.env, fetch: safeFetch, print, say };

/** Fetches with a dispatcher that always checks certificates. */
async function safeFetch(url: string, init: RequestInit): Promise<Response> {
  const { Agent, fetch } = await import('undici');
  // Explicit: a NODE_TLS_REJECT_UNAUTHORIZED for another purpose would expose the token.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: true } });
  const request = { ...init, dispatcher };
  // The types of undici and Node differ; the used part is the same.
  return fetch(url, request as object);
}
