/**
 * Exit codes; those above 64 follow sysexits(3). Scripts rely on them: their meanings never change.
 */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** More open exceptions than allowed; wrong usage is `failed`. */
  exceptions: 2,
  /** The result is based on incomplete data. */
  incomplete: 3,
  unavailable: 69,
  internal: 70,
  unknown: 75,
  denied: 77,
  configuration: 78,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command. The message states the error and the next step, and contains no secret. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends a command whose result already shows the finding: only the exit code remains. */
export class FoundWrong extends CommandFailure {
  constructor(exitCode: ExitCode) {
    super('', exitCode);
  }
}

/** Writes to standard error, for a person; results and logs go to standard output. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes a line of the command's result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Returns the message of a system or store error, which names an address or a file and never a
 * secret.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
