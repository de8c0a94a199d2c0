import { Option } from 'commander';
import { ArgumentError, SandboxError } from '../problem.ts';

/** Longest wait for a sandbox on this machine, in milliseconds. */
const TIMEOUT = 30_000;

/** What every command has that talks to a running sandbox. */
export interface ControlOptions {
  controlUrl: string;
  json?: true;
}

export const controlUrlOption = () =>
  new Option('--control-url <url>', 'control API').default('http://127.0.0.1:4445');
export const jsonOption = () => new Option('--json', 'answer in JSON, for a program');

/**
 * Calls the control API of a running sandbox: GET, or POST with a body, or what `method` says.
 * @throws {SandboxError} when it cannot be reached, or refuses; {ArgumentError} a wrong argument
 */
export async function callControl(
  controlUrl: string,
  path: string,
  body?: object,
  method: 'GET' | 'POST' | 'DELETE' = body === undefined ? 'GET' : 'POST',
): Promise<unknown> {
  const response = await reachControl(controlUrl, path, {
    method,
    signal: AbortSignal.timeout(TIMEOUT),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new SandboxError(`What answers at ${controlUrl} is not a sandbox's control API.`);
}

/** As {@link callControl}, for bodies that are not JSON. */
export async function reachControl(
  controlUrl: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  if (!URL.canParse(path, controlUrl)) {
    throw new ArgumentError('The control API is not at an address. (--control-url)');
  }
  const response = await fetch(new URL(path, controlUrl), { redirect: 'error', ...init }).catch(
    () => {
      throw new SandboxError(`No sandbox answers at ${controlUrl}: is it running? (--control-url)`);
    },
  );
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => ({}));
  const { error } = answer as { error?: unknown };
  const reason = typeof error === 'string' ? error : `status ${response.status}`;
  // A 400 is about what was sent; what the state does not allow is another status.
  const Refusal = response.status === 400 ? ArgumentError : SandboxError;
  throw new Refusal(`The sandbox refused: ${reason}`);
}

/** Writes the answer as JSON, or else the lines for a person. */
export function say(options: ControlOptions, answer: unknown, lines: readonly string[]): void {
  const text = options.json ? JSON.stringify(answer, undefined, 2) : lines.join('\n');
  process.stdout.write(`${text}\n`);
}
