import { Option, type Command } from 'commander';
import type { Operation } from '../control/operation.ts';
import { ArgumentError, SandboxError } from '../platform/problem.ts';

/** Timeout for a call to a sandbox on this machine, in milliseconds. */
const TIMEOUT = 30_000;

/** The options of every command that calls a running sandbox. */
export interface ControlOptions {
  controlUrl: string;
  json?: true;
}

/** Adds the options of a command that calls the control API. */
export function addControlOptions(command: Command, withJson = true): Command {
  command.addOption(
    new Option('--control-url <url>', 'control API').default('http://127.0.0.1:4445'),
  );
  return withJson ? command.option('--json', 'answer in JSON, for a program') : command;
}

/**
 * Calls the control API of a running sandbox.
 * @throws {SandboxError} when the sandbox cannot be reached, or rejects the call
 * @throws {ArgumentError} when an argument is invalid
 */
export async function callControl(
  controlUrl: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetchControl(controlUrl, path, {
    method,
    signal: AbortSignal.timeout(TIMEOUT),
    body: body && JSON.stringify(body),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new SandboxError(`The server at ${controlUrl} is not a sandbox's control API.`);
}

/** Like {@link callControl}, for bodies that are not JSON. */
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
  // 400 means that an argument is invalid in any state; other errors depend on the state.
  const Refusal = response.status === 400 ? ArgumentError : SandboxError;
  throw new Refusal(`The sandbox refused: ${reason}`);
}

/** Prints a response as JSON for programs, or as text for people. */
export function print(
  { json, controlUrl }: ControlOptions,
  { part, show }: Pick<Operation, 'part' | 'show'>,
  answer: unknown,
  given: Record<string, unknown> = {},
): void {
  if (json || !show) {
    const printed = part === undefined ? answer : (answer as Record<string, unknown>)[part];
    process.stdout.write(`${JSON.stringify(printed, undefined, 2)}\n`);
    return;
  }
  let lines: readonly string[];
  try {
    lines = show(answer as never, given);
  } catch {
    throw new SandboxError(`The server at ${controlUrl} is not a sandbox's control API.`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
