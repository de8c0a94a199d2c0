import { Option, type Command } from 'commander';
import { ArgumentError, SandboxError } from '../platform/problem.ts';

/** Longest wait for a sandbox on this machine, in milliseconds. */
const TIMEOUT = 30_000;

/** The options of every command that calls a running sandbox. */
export interface ControlOptions {
  controlUrl: string;
  json?: true;
}

/** Adds a command that calls the control API of a running sandbox. */
export function addControlCommand(parent: Command, name: string, description: string): Command {
  return addCommand(parent, name, description).addOption(
    new Option('--json', 'answer in JSON, for a program'),
  );
}

/** As {@link addControlCommand}, for a command whose answer is always JSON. */
export function addCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .addOption(new Option('--control-url <url>', 'control API').default('http://127.0.0.1:4445'));
}

/** Clears what the control API keeps at `path` and prints how many there were. */
export async function clear(options: ControlOptions, path: string): Promise<void> {
  const answer = await callControl(options.controlUrl, path, undefined, 'DELETE');
  print(options, answer, [`${(answer as { cleared: number }).cleared} cleared`]);
}

/**
 * Calls the control API of a running sandbox: POST with a body, GET without one, unless `method` is
 * given.
 * @throws {SandboxError} when it cannot be reached, or refuses
 * @throws {ArgumentError} when an argument is wrong
 */
export async function callControl(
  controlUrl: string,
  path: string,
  body?: object,
  method: 'GET' | 'POST' | 'DELETE' = body === undefined ? 'GET' : 'POST',
): Promise<unknown> {
  const response = await fetchControl(controlUrl, path, {
    method,
    signal: AbortSignal.timeout(TIMEOUT),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (typeof answer === 'object' && answer !== null) return answer;
  throw notASandbox(controlUrl);
}

export function notASandbox(controlUrl: string): SandboxError {
  return new SandboxError(`The server at ${controlUrl} is not a sandbox's control API.`);
}

/** As {@link callControl}, for bodies that are not JSON. */
export async function fetchControl(
  controlUrl: string,
  path: string,
  init: RequestInit,
): Promise<Response> {
  if (!URL.canParse(path, controlUrl)) {
    throw new ArgumentError('The address of the control API is not a URL. (--control-url)');
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
  // 400 refuses an argument in any state; other statuses depend on the state.
  const Refusal = response.status === 400 ? ArgumentError : SandboxError;
  throw new Refusal(`The sandbox refused: ${reason}`);
}

/** Prints the answer as JSON for a program, or the lines for a person. */
export function print(options: ControlOptions, answer: unknown, lines: readonly string[]): void {
  const text = options.json ? JSON.stringify(answer, undefined, 2) : lines.join('\n');
  process.stdout.write(`${text}\n`);
}
