import { constants, existsSync, readFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { alarmTexts } from '@financing-checkout/contract/reconciliation';
import { systemClock } from '@financing-checkout/kit';
import {
  addDoctor,
  failed,
  type Finding,
  misspelled,
  ok,
  reasonOf,
  type Register,
  warning,
} from '@financing-checkout/kit/cli';
import { requireOwnFolder, StrangersFolderError } from '@financing-checkout/kit/files';
import {
  type CompanionClient,
  CompanionError,
  createCompanionClient,
} from '../companion/client.ts';
import { alarmText, standingAlarms } from '../cases/alarms.ts';
import { createCompanionLedger } from '../companion/ledger.ts';
import { type Configuration, readConfiguration } from '../config/config.ts';
import { variables } from '../config/variables.ts';
import { FactsError, openFacts, readFactsVersion } from '../facts/open.ts';
import { SignInError } from '../sign-in/error.ts';
import { createProvider } from '../sign-in/provider.ts';
import {
  createNodeTransport,
  type NodeTransport,
  proxyFindings,
} from '@financing-checkout/kit/outgoing';
import { freeBytes } from '../platform/temporary-files.ts';
import type { Shell } from './shell.ts';

/** Free disk space in bytes below which a rebuild may fail. */
const FEW_BYTES = 1_000_000_000;

const texts = {
  description:
    'check configuration, record store, disk, companion and OpenID provider; change nothing',
  help: `Run it with the variables and the user of "serve". It requests one page of an empty period, to check that
the companion accepts the token, and the configuration and the keys of the OpenID provider. Whether the provider
accepts the client is only known at a sign-in.`,
};

/** Registers `doctor`, which checks an installation. */
export const registerDoctor: Register<Shell> = (program, shell) => {
  addDoctor(program, shell, texts, variables, async () => {
    const configuration = readConfiguration(shell.env, (path) => readFileSync(path, 'utf8'));
    return [
      ok('configuration', `complete, for "${configuration.environment}"`),
      ...misspelled(configuration.unknownVariables),
      ...(await storeFindings(configuration)),
      memoryFinding(configuration),
      await diskFinding(configuration),
      ...(await lakeFindings(configuration)),
      ...(await networkFindings(configuration)),
    ];
  });
};

async function storeFindings({ store, environment }: Configuration): Promise<Finding[]> {
  const subject = 'record store';
  const location = store.url.reveal();
  if (isFileMissing(location)) {
    return [warning(subject, 'does not exist yet', '"serve" creates it at its first start.')];
  }
  try {
    const { applied, pending } = await readFactsVersion(location);
    if (applied.length === 0) {
      return [warning(subject, 'is empty', '"serve" creates its tables at its first start.')];
    }
    if (pending.length > 0) {
      const message = `is behind by ${pending.length} migrations`;
      return [warning(subject, message, '"serve" applies them at its start: back it up before.')];
    }
    const facts = await openFacts(location);
    try {
      const own = await facts.environment();
      if (own !== undefined && own !== environment) {
        const message = `holds facts of "${own}", and RECONCILIATION_ENVIRONMENT is "${environment}"`;
        return [failed(subject, message, 'Use a record store for each environment.')];
      }
      const holder = await facts.leaseHolder();
      const by = holder === undefined ? 'no process writes' : 'a process writes';
      const alarms = (await standingAlarms(facts)).map((alarm) =>
        warning(
          'alarm',
          `${alarmTexts.en[alarm.kind].name}: ${alarmText(alarm)}`,
          `${alarmTexts.en[alarm.kind].remedy} Then: financing-reconcile trail acknowledge ${alarm.number} <reason>`,
        ),
      );
      return [ok(subject, `${await facts.head()} facts, ${by}`), ...alarms];
    } finally {
      await facts.close();
    }
  } catch (error) {
    if (!(error instanceof FactsError)) throw error;
    return [failed(subject, error.message, 'Check RECONCILIATION_STORE.')];
  }
}

/** Checked first, because opening a missing file would create it. */
function isFileMissing(location: string): boolean {
  return !location.startsWith('postgres') && !existsSync(location.replace(/^sqlite:/, ''));
}

const sources: Record<Configuration['analytics']['memorySource'], string> = {
  variable: 'RECONCILIATION_MEMORY_LIMIT',
  process: 'a quarter of the memory limit of this process',
  machine: 'a quarter of the memory of this machine',
};

function memoryFinding({ analytics }: Configuration): Finding {
  const { isMemoryLeast, memoryLimit, memorySource } = analytics;
  const source = sources[memorySource];
  const isRaised = isMemoryLeast && memorySource !== 'variable';
  const from = isRaised ? `the minimum, because ${source} is less` : source;
  return ok('memory', `${memoryLimit} for the analytics database: ${from}`);
}

async function diskFinding({ analytics }: Configuration): Promise<Finding> {
  const subject = 'disk';
  const folder = dirname(analytics.file);
  try {
    const free = await freeBytes(folder);
    const message = `${Math.floor(free / 1_000_000)} MB free for the analytics database`;
    if (free >= FEW_BYTES) return ok(subject, message);
    return warning(subject, message, 'A rebuild may not fit: free disk space.');
  } catch (error) {
    const message = `${folder} cannot be used (${reasonOf(error)})`;
    return failed(subject, message, 'Check RECONCILIATION_ANALYTICS_FILE.');
  }
}

async function lakeFindings({ lake }: Configuration): Promise<Finding[]> {
  if (lake === undefined) return [];
  const subject = 'lake';
  try {
    await access(lake, constants.W_OK);
    await requireOwnFolder(lake);
    return [ok(subject, `${Math.floor((await freeBytes(lake)) / 1_000_000)} MB free`)];
  } catch (error) {
    if (error instanceof StrangersFolderError) {
      return [failed(subject, error.message, 'Until then "serve" writes no lake.')];
    }
    const message = `${lake} cannot be written (${reasonOf(error)})`;
    return [failed(subject, message, 'Check RECONCILIATION_LAKE: the folder has to exist.')];
  }
}

/** Sends requests as `serve` does, through the same proxy. */
async function networkFindings(configuration: Configuration): Promise<Finding[]> {
  const { alerts, companion, proxy, signIn } = configuration;
  const outgoing = createNodeTransport({ proxy });
  try {
    return [
      ...(await proxyFindings(proxy, {
        companion: companion.url,
        'sign-in': signIn?.issuer,
        alerts: alerts?.url,
      })),
      ...(await companionFindings(configuration, outgoing)),
      ...(await providerFindings(configuration, outgoing)),
    ];
  } finally {
    await outgoing.close();
  }
}

async function companionFindings(
  configuration: Configuration,
  { request }: NodeTransport,
): Promise<Finding[]> {
  const { companion, environment } = configuration;
  const subject = 'companion';
  const client = createCompanionClient({ ...companion, environment, clock: systemClock, request });
  try {
    await client.get({
      path: 'fundings/pages',
      query: { from: '2000-01-01T00:00:00.000Z', to: '2000-01-01T00:00:00.001Z', limit: '1' },
      maxBytes: 1_000_000,
      tries: 1,
    });
    const answer = ok(subject, `answers at ${new URL(companion.url).host}`);
    return [answer, ...(await ledgerFindings(configuration, client))];
  } catch (error) {
    const message = error instanceof CompanionError ? error.message : reasonOf(error);
    return [
      failed(
        subject,
        message,
        'Check RECONCILIATION_COMPANION_URL (the back office), and that COMPANION_BACK_OFFICE_TOKENS of the companion lists the token with the scope "fundings".',
      ),
    ];
  }
}

/** Reports a missing ledger: neither an import nor a line from the companion. */
async function ledgerFindings(
  { store }: Configuration,
  client: CompanionClient,
): Promise<Finding[]> {
  if (await hasImports(store.url.reveal())) return [];
  const ledger = createCompanionLedger(client);
  for (let after = 0; ;) {
    const entries = await ledger.entries(after, 1_000);
    const hasLine = entries.some(
      ({ state, type }) => state === 'accepted' && (type === 'Settle' || type === 'Refund'),
    );
    if (hasLine) return [];
    const last = entries.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  return [
    warning(
      'ledger',
      'is in set-up: no ledger exists, so no funding is judged missing from it',
      'Import the ledger: "financing-reconcile import --help". If the companion makes all charges, its first settle is enough.',
    ),
  ];
}

/** Returns whether any file has been imported; true if the record store must be repaired first. */
async function hasImports(location: string): Promise<boolean> {
  if (isFileMissing(location)) return false;
  try {
    const { applied, pending } = await readFactsVersion(location);
    if (applied.length === 0) return false;
    if (pending.length > 0) return true;
    const facts = await openFacts(location);
    try {
      return (await facts.importsAfter(0, 1)).length > 0;
    } finally {
      await facts.close();
    }
  } catch (error) {
    // `storeFinding` reports this problem.
    if (error instanceof FactsError) return true;
    throw error;
  }
}

async function providerFindings(
  { signIn }: Configuration,
  { transport }: NodeTransport,
): Promise<Finding[]> {
  if (signIn === undefined) return [];
  const subject = 'sign-in';
  try {
    const { hasBackChannelLogout, hasEndSession, hasPkce } = await createProvider(
      signIn,
      systemClock,
      transport,
    ).report();
    const findings = [
      ok(subject, `the configuration of ${new URL(signIn.issuer).host} is complete`),
    ];
    if (!hasPkce) {
      findings.push(
        warning(subject, 'the provider does not state PKCE with S256', 'Does it support PKCE?'),
      );
    }
    if (!hasBackChannelLogout) {
      findings.push(
        warning(
          subject,
          'the provider states no back-channel logout',
          `A session that the provider ends is noticed after ${signIn.recheckMs / 60_000} minutes, or after an hour without refresh tokens.`,
        ),
      );
    }
    if (!hasEndSession) {
      const message = 'the provider has no address for a sign-out';
      findings.push(warning(subject, message, 'A sign-out ends only the session of the console.'));
    }
    return findings;
  } catch (error) {
    if (error instanceof SignInError && error.issuer !== undefined) {
      const message = `the OpenID provider states the issuer ${error.issuer}, and RECONCILIATION_OIDC_ISSUER is ${signIn.issuer}`;
      return [failed(subject, message, 'Set it to what the provider states, if that is yours.')];
    }
    const reason = error instanceof SignInError ? error.reason : reasonOf(error);
    const message = `the OpenID provider cannot be used (${reason})`;
    return [failed(subject, message, 'Check RECONCILIATION_OIDC_ISSUER, the network and the CA.')];
  }
}
