/** Exit codes; those above 64 are sysexits(3)'s. Scripts rely on them: none changes its meaning. */
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

/** Ends a command. The message says what is wrong and what to do, and holds no secret. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What a command has found is in its result already: there is nothing to say but by the exit code. */
export class FoundWrong extends CommandFailure {
  constructor(exitCode: ExitCode) {
    super('', exitCode);
  }
}

/** For the person who typed the command, on standard error; results and logs go to standard output. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A line of the command's result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** An error of the system or of the store: its message names an address or a file, never a secret. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
