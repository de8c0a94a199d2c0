import { print, say } from './exit.ts';

/** What a command has of the machine it runs on. */
export interface Shell {
  env: Readonly<Record<string, string | undefined>>;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** A line of the command's result. */
  print: (line: string) => void;
  /** A line for the person who typed the command. */
  say: (line: string) => void;
}

export const processShell: Shell = { env: process.env, fetch: patientFetch, print, say };

/**
 * As `fetch`, which waits five minutes for an answer and for each piece of it: that to an import
 * comes when all of it is in the books. Every request here says itself how long it waits.
 */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const { Agent, fetch } = await import('undici');
  const dispatcher = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    // Said aloud: NODE_TLS_REJECT_UNAUTHORIZED, set for something else, would give the token away.
    connect: { rejectUnauthorized: true },
  });
  const request = { ...init, dispatcher };
  // Declared twice, by the library and by Node, with what they have in common here.
  return fetch(url, request as object);
}
