import { accessSync, constants, existsSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { secretNamesOf } from '@financing-checkout/kit/env';
import { variables } from '../../config/variables.ts';
import type { CompanionConfiguration } from '../../config/config.ts';
import { isInMemory, type StoreLocation } from '../../config/store.ts';
import { versionProblem } from '../../store/version.ts';
import { createStore, storeError } from '../store.ts';
import { failed, type Finding, ok, warning } from '@financing-checkout/kit/cli';

/** Read, write or execute permission for all users of the machine. */
const OTHERS = 0o007;
/** Execute permission on a folder for all users: they can open its files. */
const OTHERS_SEARCH = 0o001;

/**
 * Returns whether every user of the machine can open a file: the modes of the file and of each
 * folder above it permit it.
 */
function isOpenToOthers(path: string): boolean {
  const file = realpathSync(path);
  if ((statSync(file).mode & OTHERS) === 0) return false;
  for (let at = file, folder = dirname(at); folder !== at; at = folder, folder = dirname(at)) {
    if ((statSync(folder).mode & OTHERS_SEARCH) === 0) return false;
  }
  return true;
}

/** Checks that other users cannot read secret files. A missing file is a configuration error. */
export function checkSecretFiles(env: Readonly<Record<string, string | undefined>>): Finding[] {
  const files = secretNamesOf(variables)
    // The public key is in every page.
    .filter((name) => name !== 'FINANCING_PUBLIC_API_KEY')
    .map((name) => ({ variable: `${name}_FILE`, path: env[`${name}_FILE`]?.trim() ?? '' }))
    .filter(({ path }) => path !== '' && existsSync(path));
  const open = files.filter(({ path }) => isOpenToOthers(path));
  if (open.length === 0) {
    return [ok('files', `${files.length} of ${files.length} secret files are closed to others`)];
  }
  const names = open.map(({ variable }) => variable).join(', ');
  const paths = open.map(({ path }) => path).join(' ');
  return [
    warning(
      'files',
      `${names} can be opened by every user of this machine`,
      `chmod o-rwx ${paths}, or make the folder private in which they are.`,
    ),
  ];
}

/** statfs(2): tmpfs and ramfs, whose contents are lost with the machine or the container. */
const MEMORY_FILE_SYSTEMS = new Set([0x01021994, 0x858458f6]);

/**
 * Checks that the store is usable, up to date and persistent. Does not create the store.
 * @param fileSystemOf returns the file system type of a path
 */
export async function checkStore(
  location: StoreLocation,
  { environment, migrate }: Pick<CompanionConfiguration, 'environment' | 'migrate'>,
  fileSystemOf: (path: string) => number = (path) => statfsSync(path).type,
): Promise<Finding[]> {
  if (isInMemory(location)) {
    return [
      warning(
        'store',
        'it is in memory and lost when the companion ends',
        'Set COMPANION_STORE to sqlite:<file> or postgres://….',
      ),
    ];
  }
  if (location.kind === 'sqlite') {
    const { file } = location;
    const missing = !existsSync(file);
    const folder = dirname(resolve(file));
    let target = resolve(file);
    while (!existsSync(target)) target = dirname(target);
    if (!existsSync(folder) && statSync(target).isDirectory()) {
      return [
        failed(
          'store',
          `the folder ${folder} does not exist`,
          'Create it, mount it, or correct COMPANION_STORE.',
        ),
      ];
    }
    if (missing && !statSync(target).isDirectory()) {
      return [failed('store', `${target} is not a folder`, 'Check COMPANION_STORE.')];
    }
    try {
      accessSync(target, constants.W_OK);
    } catch {
      return [
        failed('store', `${target} cannot be written`, 'Give it to the user of the companion.'),
      ];
    }
    const temporary =
      environment === 'production' && MEMORY_FILE_SYSTEMS.has(fileSystemOf(target))
        ? [
            warning(
              'store',
              `${target} is on a file system in memory, which does not persist`,
              'Put the store on a disk.',
            ),
          ]
        : [];
    if (missing) {
      return [
        ...temporary,
        migrate === 'on-start'
          ? ok('store', `${file} is created at the first start`)
          : notMigrated(`${file} does not exist yet`),
      ];
    }
    const open = isOpenToOthers(file);
    return [
      ...temporary,
      ...(open
        ? [
            warning(
              'store',
              `${file} can be opened by every user of this machine`,
              `chmod 600 ${file}`,
            ),
          ]
        : []),
      await checkVersion(location, migrate),
    ];
  }
  return [await checkVersion(location, migrate), ...(await lossFindings(location, environment))];
}

/** Returns whether no companion has started with a store yet. */
export async function isNewStore(location: StoreLocation): Promise<boolean> {
  if (isInMemory(location)) return true;
  if (location.kind === 'sqlite' && !existsSync(location.file)) return true;
  try {
    const store = await createStore(location);
    try {
      return (await store.version()).applied.length === 0;
    } finally {
      await store.close();
    }
  } catch {
    // checkStore reports the error.
    return false;
  }
}

async function checkVersion(
  location: StoreLocation,
  migrate: 'on-start' | 'never',
): Promise<Finding> {
  try {
    const store = await createStore(location);
    try {
      const version = await store.version();
      const problem = versionProblem(version);
      if (problem !== undefined) return failed('store', problem.reason, problem.advice);
      const { pending } = version;
      const name = location.kind === 'sqlite' ? location.file : location.name;
      if (pending.length === 0) return ok('store', `${name} is up to date`);
      const behind = `${name} is behind by ${pending.length} migrations`;
      if (migrate === 'never') return notMigrated(behind);
      const advice = '"serve" applies them at its start; or run "financing-companion migrate".';
      return warning('store', behind, advice);
    } finally {
      await store.close();
    }
  } catch (error) {
    return failed('store', storeError(location, error).message, 'Check COMPANION_STORE.');
  }
}

function notMigrated(message: string): Finding {
  const advice = 'With COMPANION_MIGRATE=never run "financing-companion migrate" before "serve".';
  return failed('store', message, advice);
}

const DAY_MS = 86_400_000;
/** Number of days for which `doctor` reports a loss. */
const LOSS_DAYS = 30;
const LISTED_LOSSES = 20;

async function lossFindings(
  location: StoreLocation,
  environment: CompanionConfiguration['environment'],
): Promise<Finding[]> {
  const store = await createStore(location);
  try {
    if ((await store.version()).pending.length > 0) return [];
    const since = Date.now() - LOSS_DAYS * DAY_MS;
    const lost = await store.lostRecords(environment, since, LISTED_LOSSES + 1);
    if (lost.length === 0) return [ok('losses', `none was found in ${LOSS_DAYS} days`)];
    const names = lost
      .slice(0, LISTED_LOSSES)
      .map(({ kind, merchantOrderId, chargeId }) => {
        const what = kind === 'charge' ? 'charge' : `${kind} of charge`;
        return `${what} ${chargeId} of order ${merchantOrderId}`;
      })
      .join(', ');
    const more = lost.length > LISTED_LOSSES ? ', and more' : '';
    return [
      warning(
        'losses',
        `the service has what the store has lost: ${names}${more}`,
        'Compare each with the service and the shop: docs/on-call.md#companionrecordlost.',
      ),
    ];
  } catch {
    // Without the store there is nothing to list; its own finding has the reason.
    return [];
  } finally {
    await store.close();
  }
}
