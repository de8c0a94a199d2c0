import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { ConformanceError, runConformance, type ConformanceOptions } from '../conformance/suite.ts';
import { conformanceTable } from '../conformance/table.ts';
import { ArgumentError } from '../platform/problem.ts';

interface Options {
  baseUrl: string;
  environment: ConformanceOptions['environment'];
  publicKey: string;
  privateKeyFile: string;
  oldKeyFile?: string;
  otherBaseUrl?: string[];
  caFile?: string;
  write?: true;
  confirmationToken?: string[];
  notificationsFile?: string;
  primeBodyFile?: string;
  fromDate?: string;
  toDate?: string;
  plainPort80?: true;
  only?: string[];
  timeout: string;
  json?: true;
}

/**
 * `financing-sandbox conformance`: exits with 0 if no rule fails, 1 if a rule fails, 2 for invalid
 * arguments.
 */
export function addConformance(program: Command): void {
  program
    .command('conformance')
    .description(
      'Check a service against the specification and the published contract. Reads only.',
    )
    .requiredOption('--base-url <url>', 'base address of the environment, https')
    .addOption(
      new Option('--environment <name>', 'name of the environment')
        .choices(['uat', 'sandbox', 'production'])
        .makeOptionMandatory(),
    )
    .requiredOption('--public-key <key>', 'public key of the environment')
    .requiredOption('--private-key-file <file>', 'file with the private key')
    .option('--old-key-file <file>', 'file with a rotated-out private key')
    .option('--other-base-url <url...>', 'another environment, where the key must not work')
    .option('--ca-file <file>', 'PEM of an additional CA to trust')
    .option('--write', 'send POST and PATCH too: opens small sessions and charges the given tokens')
    .option('--confirmation-token <token...>', 'tokens of confirmed orders, to charge them')
    .option('--notifications-file <file>', 'received notifications, one JSON body per line')
    .option('--prime-body-file <file>', 'JSON body of a prime, instead of the documented one')
    .option('--from-date <date>', 'check records funded from then on, ISO 8601')
    .option('--to-date <date>', 'check records funded until then, ISO 8601')
    .option('--plain-port-80', 'try http:// on port 80 too')
    .option('--only <rule...>', 'only these rules (4.1) or sections (5)')
    .option('--timeout <seconds>', 'longest time for one request', '30')
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      try {
        const report = await runConformance(suiteOptions(options));
        process.stdout.write(
          options.json
            ? `${JSON.stringify(report, undefined, 2)}\n`
            : conformanceTable(report, process.stdout.isTTY && !process.env.NO_COLOR),
        );
        if (report.failed > 0) process.exitCode = 1;
      } catch (error) {
        if (!(error instanceof ConformanceError)) throw error;
        throw new ArgumentError(error.message);
      }
    });
}

/** @throws {ConformanceError} when a file cannot be read, or a number is invalid */
function suiteOptions(options: Options): ConformanceOptions {
  const seconds = Number(options.timeout);
  if (!(seconds >= 0.1 && seconds <= 3600)) {
    throw new ConformanceError('--timeout is a number of seconds from 0.1 to 3600.');
  }
  const { oldKeyFile, caFile, primeBodyFile, notificationsFile } = options;
  return {
    baseUrl: options.baseUrl,
    environment: options.environment,
    publicKey: options.publicKey,
    privateKey: read('--private-key-file', options.privateKeyFile).trim(),
    write: options.write ?? false,
    plainPort80: options.plainPort80 ?? false,
    confirmationTokens: options.confirmationToken,
    notifications: notificationsFile === undefined ? undefined : readLines(notificationsFile),
    timeoutMs: seconds * 1000,
    oldKey: oldKeyFile === undefined ? undefined : read('--old-key-file', oldKeyFile).trim(),
    otherBaseUrls: options.otherBaseUrl,
    ca: caFile === undefined ? undefined : read('--ca-file', caFile),
    primeBody: primeBodyFile === undefined ? undefined : readJson(primeBodyFile),
    fromDate: options.fromDate,
    toDate: options.toDate,
    only: options.only,
  };
}

function read(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ConformanceError(`The file of ${option} cannot be read (${code}).`);
  }
}

/** Reads the notifications at the start, so that an unreadable file is reported first. */
function readLines(file: string): () => readonly unknown[] {
  const lines = read('--notifications-file', file)
    .split('\n')
    .filter((line) => line.trim() !== '');
  try {
    const bodies = lines.map((line) => JSON.parse(line) as unknown);
    return () => bodies;
  } catch {
    throw new ConformanceError('A line of --notifications-file does not hold JSON.');
  }
}

function readJson(file: string): object {
  const text = read('--prime-body-file', file);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The parser's own message would include content of the file.
  }
  throw new ConformanceError('The file of --prime-body-file does not hold a JSON object.');
}
