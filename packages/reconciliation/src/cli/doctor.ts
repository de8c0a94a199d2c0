import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { CompanionError, createCompanionClient } from '../companion/client.ts';
import { type Configuration, readConfiguration } from '../config/config.ts';
import { ConfigurationError } from '../config/reader.ts';
import { FactsError, openFacts } from '../facts/open.ts';
import { systemClock } from '@financing-checkout/kit';
import { freeBytes } from '../platform/free-bytes.ts';
import { CommandFailure, exitCodes, FoundWrong, reasonOf } from './exit.ts';
import type { Shell } from './shell.ts';

interface Finding {
  status: 'ok' | 'warning' | 'failed';
  subject: string;
  message: string;
  /** Recommended action. */
  advice?: string;
}

/** Free disk space in bytes below which a rebuild may fail. */
const FEW_BYTES = 1_000_000_000;

/** `doctor`: checks an installation without changing it. */
export function registerDoctor(program: Command, shell: Shell): void {
  program
    .command('doctor')
    .description('check configuration, record store, disk and companion, without changes')
    .option('--json', 'print one JSON object: {ok, findings}')
    .addHelpText(
      'after',
      `
Run it with the variables and the user of "serve". It requests one page of an empty period, to check that
the companion accepts the token.

Exit codes: 0 no problems (possibly warnings), 1 a problem, 78 the configuration is incomplete.`,
    )
    .action(async ({ json = false }: { json?: boolean }) => {
      const { findings, wrong } = await examine(shell);
      const isWell = findings.every(({ status }) => status !== 'failed');
      if (json) shell.print(JSON.stringify({ ok: isWell, findings }));
      else {
        for (const { status, subject, message, advice } of findings) {
          shell.print(`${status.padEnd(8)} ${subject.padEnd(14)} ${message}`);
          if (advice !== undefined) shell.print(`${' '.repeat(24)}${advice}`);
        }
      }
      if (!isWell) throw new FoundWrong(wrong);
    });
}

async function examine({ env }: Shell) {
  let configuration: Configuration;
  try {
    configuration = readConfiguration(env, (path) => readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const findings = error.problems.map(({ variable, message }): Finding => ({
      status: 'failed',
      subject: 'configuration',
      message: `${variable} ${message}`,
      advice: 'See the README of the package.',
    }));
    return { findings, wrong: exitCodes.configuration };
  }
  const findings: Finding[] = [
    {
      status: 'ok',
      subject: 'configuration',
      message: `complete, for "${configuration.environment}"`,
    },
    ...configuration.unknownVariables.map((name): Finding => ({
      status: 'warning',
      subject: 'configuration',
      message: `${name} is not a known variable`,
      advice: 'Check its spelling.',
    })),
    await storeFinding(configuration),
    await diskFinding(configuration),
    await companionFinding(configuration),
  ];
  return { findings, wrong: exitCodes.failed };
}

async function storeFinding({ store, environment }: Configuration): Promise<Finding> {
  const subject = 'record store';
  const location = store.url.reveal();
  if (!location.startsWith('postgres') && !existsSync(location.replace(/^sqlite:/, ''))) {
    return {
      status: 'warning',
      subject,
      message: 'does not exist yet',
      advice: '"serve" creates it at its first start.',
    };
  }
  try {
    const facts = await openFacts(location);
    try {
      const own = await facts.environment();
      if (own !== undefined && own !== environment) {
        return {
          status: 'failed',
          subject,
          message: `holds facts of "${own}", and RECONCILIATION_ENVIRONMENT is "${environment}"`,
          advice: 'Use a record store for each environment.',
        };
      }
      const holder = await facts.leaseHolder();
      const by = holder === undefined ? 'no process writes' : 'a process writes';
      return { status: 'ok', subject, message: `${await facts.head()} facts, ${by}` };
    } finally {
      await facts.close();
    }
  } catch (error) {
    if (!(error instanceof FactsError)) throw error;
    return { status: 'failed', subject, message: error.message };
  }
}

async function diskFinding({ analytics }: Configuration): Promise<Finding> {
  const subject = 'disk';
  const folder = dirname(analytics.file);
  try {
    const free = await freeBytes(folder);
    const message = `${Math.floor(free / 1_000_000)} MB free for the analytics database`;
    return free < FEW_BYTES
      ? { status: 'warning', subject, message, advice: 'A rebuild may not fit: free disk space.' }
      : { status: 'ok', subject, message };
  } catch (error) {
    return {
      status: 'failed',
      subject,
      message: `the folder of RECONCILIATION_ANALYTICS_FILE cannot be used (${reasonOf(error)})`,
    };
  }
}

async function companionFinding({ companion, environment }: Configuration): Promise<Finding> {
  const subject = 'companion';
  const client = createCompanionClient({ ...companion, environment, clock: systemClock });
  try {
    await client.get({
      path: 'fundings/pages',
      query: { from: '2000-01-01T00:00:00.000Z', to: '2000-01-01T00:00:00.001Z', limit: '1' },
      maxBytes: 1_000_000,
      tries: 1,
    });
    return { status: 'ok', subject, message: `answers at ${new URL(companion.url).host}` };
  } catch (error) {
    if (!(error instanceof CompanionError)) throw new CommandFailure(reasonOf(error));
    return {
      status: 'failed',
      subject,
      message: error.message,
      advice:
        'Check RECONCILIATION_COMPANION_URL (the back office) and that the token has the scope "fundings".',
    };
  }
}
