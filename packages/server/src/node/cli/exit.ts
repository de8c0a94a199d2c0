/** Exit codes; those above 64 are from sysexits(3). Scripts rely on them, so none may change its meaning. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 69,
  internal: 70,
  unknown: 75,
  denied: 77,
  configuration: 78,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command. The message says what is wrong and what to do, and contains no secret. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends a command whose result already shows the problem. Only the exit code is left to report. */
export class FoundWrong extends CommandFailure {
  constructor(exitCode: ExitCode) {
    super('', exitCode);
  }
}

/** Prints a line for the user on standard error; results and logs go to standard output. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints a line of the command's result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the message of an error of the system or the store, which names an address or a file, never a secret. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
