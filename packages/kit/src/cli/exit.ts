/**
 * Exit codes that all programs share; those above 64 follow sysexits(3). Scripts rely on them, so
 * their meanings must not change. A program may add its own.
 */
export const exitCodes = {
  ok: 0,
  failed: 1,
  unavailable: 69,
  internal: 70,
  unknown: 75,
  denied: 77,
  configuration: 78,
} as const;

/** Descriptions of {@link exitCodes}, for help pages and documentation. */
export const exitMeanings: Readonly<Record<number, string>> = {
  [exitCodes.ok]: 'done; "serve": stopped by SIGTERM or SIGINT',
  [exitCodes.failed]: 'failed, or wrong usage; the message says why and what to do',
  [exitCodes.unavailable]: 'an address, a store or a service cannot be reached',
  [exitCodes.internal]: 'crashed',
  [exitCodes.unknown]: 'the outcome is unknown: run the same command with the same --key again',
  [exitCodes.denied]: 'the access token is missing or wrong, or lacks the scope',
  [exitCodes.configuration]:
    'the configuration is incomplete or of another program; each variable is named',
};

/** Returns the lines of a help page that explain exit codes. */
export function exitCodeHelp(meanings: Readonly<Record<number, string>>): string {
  const rows = Object.entries(meanings).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}`);
  return ['Exit codes:', ...rows].join('\n');
}

/** Ends a command. The message states the cause and the remedy, and contains no secret. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

const isWindows = process.platform === 'win32';

/** Codes of a file that another program has open. Windows reports EPERM for a file that Excel has open. */
const held: ReadonlySet<unknown> = new Set([
  'EBUSY',
  'ETXTBSY',
  ...(isWindows ? ['EPERM', 'EACCES'] : []),
]);

/**
 * Returns the message of a system or store error. Such messages name a host or a file, never a
 * secret.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, dest, path }: NodeJS.ErrnoException & { dest?: string } = error;
  const file = dest ?? path;
  if (held.has(code) && file !== undefined) {
    return `${file} is open in another program (${String(code)}). Close it there, such as a workbook in Excel, and repeat this, or choose another name.`;
  }
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
